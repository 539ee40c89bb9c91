import type { ServerResponse } from 'node:http'

/** A response sent instead of calling the handler. Its text has no details that help an attacker. */
export interface Refusal {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
  /** Closes the connection: further data on it may not be a valid request. */
  readonly isLast?: true
}

/** A refusal of all requests of a connection. */
export function forbidden(reason: string): Refusal {
  return { status: 403, text: `forbidden: ${reason}`, isLast: true }
}

/** Sends a refusal as plain text, or closes the connection if the response has already started. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) {
    // Not response.destroy(): a reset would also discard what was sent before the failure.
    response.socket?.destroy()
    return
  }
  const body = `${refusal.text}\n`
  response.writeHead(refusal.status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...(refusal.isLast && { Connection: 'close' }),
    ...refusal.headers,
  })
  response.end(body)
}
