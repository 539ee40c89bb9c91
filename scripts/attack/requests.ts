import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Source address, one of 127.0.0.0/8. */
  readonly from?: string
  readonly timeoutMs: number
}

/**
 * Sends a request on a connection of its own and reads the whole response. Certificates are not verified: the listener
 * has a self-signed one.
 * @returns the status @throws after timeoutMs or if the connection breaks
 */
export async function request(
  url: string,
  { method = 'GET', headers, from, timeoutMs }: RequestOptions,
): Promise<number> {
  const options = {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    headers: headers ?? {},
    ...(from !== undefined && { localAddress: from }),
  }
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = url.startsWith('https:')
      ? httpsRequest(url, { ...options, agent: new Agent({ rejectUnauthorized: false }) }, resolve)
      : httpRequest(url, { ...options, agent: false }, resolve)
    outgoing.once('error', reject)
    outgoing.end()
  })
  await message.resume().toArray()
  return message.statusCode ?? 0
}
