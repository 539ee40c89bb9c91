import type { ServerResponse } from 'node:http'

/** An answer that ends a request before its handler: short, and without a detail that could help a stranger. */
export interface Refusal {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
  /** The connection is not worth keeping: what follows on it may be no request at all. */
  readonly isLast?: true
}

/** Sends a refusal as plain text; when an answer has begun already, all that is left is to cut it. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) {
    response.destroy()
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
