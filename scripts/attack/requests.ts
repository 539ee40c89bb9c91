import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { Target } from './row.ts'

/** One request of a well-behaved client. */
export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Source address, one of 127.0.0.0/8. */
  readonly from?: string
  readonly timeoutMs: number
}

export interface ReceivedResponse {
  readonly status: number
  readonly ms: number
  readonly bytes: number
  readonly text: () => string
}

/**
 * Sends a request on a connection of its own and reads the whole response. Certificates are not verified: the listener
 * has a self-signed one.
 * @throws after timeoutMs or if the connection breaks
 */
export async function request(url: string, options: RequestOptions): Promise<ReceivedResponse> {
  const start = performance.now()
  const message = await send(url, options)
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  return {
    status: message.statusCode ?? 0,
    ms: performance.now() - start,
    bytes: body.length,
    text: () => body.toString('utf8'),
  }
}

/** Longer than a response takes while the exporter is attacked. */
const PAGE_TIMEOUT_MS = 20_000

/** A page as the client that scrapes reads it, without compression. */
export function requestPage({ url, headers }: Target, path: string): Promise<ReceivedResponse> {
  const options = { headers: { ...headers, 'Accept-Encoding': 'identity' }, timeoutMs: PAGE_TIMEOUT_MS }
  return request(`${url}${path}`, options)
}

function send(
  url: string,
  { method = 'GET', headers, body, from, timeoutMs }: RequestOptions,
): Promise<IncomingMessage> {
  const isTls = url.startsWith('https:')
  const options = {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    headers: { ...(body && { 'content-length': Buffer.byteLength(body) }), ...headers },
    ...(from !== undefined && { localAddress: from }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = isTls
      ? httpsRequest(url, { ...options, agent: new Agent({ rejectUnauthorized: false }) }, resolve)
      : httpRequest(url, { ...options, agent: false }, resolve)
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
