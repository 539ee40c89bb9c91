import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { SecureContextOptions } from 'node:tls'

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The bytes as received: a compressed body is not decompressed. */
  readonly body: Buffer
  /** The body as UTF-8. */
  readonly text: string
}

export interface HttpOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** For https: `ca`, and `cert` and `key` of a client. */
  readonly tls?: SecureContextOptions & {
    readonly rejectUnauthorized?: boolean
    readonly servername?: string
  }
  /** Milliseconds; 30 s by default. */
  readonly timeout?: number
}

/**
 * One request on its own connection. Follows no redirects, does not decompress, adds no Accept or Accept-Encoding, and
 * sends the path exactly as in `url`, percent-encoded or not.
 */
export async function request(method: string, url: string, options: HttpOptions = {}): Promise<HttpResponse> {
  const message = await send(method, url, options)
  const body = await buffer(message)
  return { status: message.statusCode ?? 0, headers: message.headers, body, text: body.toString('utf8') }
}

export function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpResponse> {
  return request('GET', url, { headers })
}

/** The parsed body of a response with status 200. @throws with status and body for any other status */
export async function getJson(url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { status, text } = await get(url, headers)
  if (status !== 200) throw new Error(`GET ${url} answered ${status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

function send(method: string, url: string, options: HttpOptions): Promise<IncomingMessage> {
  const { protocol, hostname, port } = new URL(url)
  const request: RequestOptions = {
    method,
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    path: rawPath(url),
    // Node.js sends the body of a DELETE without Content-Length.
    headers: {
      ...(options.body && { 'content-length': Buffer.byteLength(options.body) }),
      ...options.headers,
    },
    agent: false,
    signal: AbortSignal.timeout(options.timeout ?? 30_000),
  }
  const begin = protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const outgoing = begin({ ...request, ...options.tls }, resolve)
    outgoing.once('error', reject)
    outgoing.end(options.body)
  })
}

/** Path and query without normalization, which `URL` would do. */
function rawPath(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?]*/, '').replace(/^(?!\/)/, '/')
}
