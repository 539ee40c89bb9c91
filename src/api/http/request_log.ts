import type { Fields, Log } from '../../log.ts'
import { ApiError } from '../errors/errors.ts'
import { saidBy } from './refusals.ts'
import type { HttpResponse } from './transport.ts'

/** How a request to a storage system ended. */
export interface RequestEnd {
  /** The HTTP status, or the reason why there is no complete response. */
  readonly code: string
  /** Length of the body as it was received; undefined where it was not read. */
  readonly bytes: number | undefined
  /** From the connection to the end of the body. */
  readonly seconds: number
  /** The words of a refusal, of which messages quote the beginning. */
  readonly said?: () => string
}

/** What is logged of a request: never its headers, query or body, which have secrets. */
export interface LoggedRequest extends RequestEnd {
  readonly system: string
  readonly operation: string
  readonly baseUrl: string
}

/** Sends a request, and calls `ended` with the response or the failure; not when the request is aborted. */
export async function timed(
  send: () => Promise<HttpResponse>,
  ended: (end: RequestEnd) => void,
): Promise<HttpResponse> {
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  try {
    const response = await send()
    const said = response.status === 200 ? undefined : () => saidBy(response)
    ended({ code: String(response.status), bytes: response.bytes, seconds: seconds(), ...(said && { said }) })
    return response
  } catch (failure) {
    if (failure instanceof ApiError) ended({ code: failure.reason, bytes: undefined, seconds: seconds() })
    throw failure
  }
}

/** Writes the line of a request. @param pool fields of the pool that it is about */
export function logRequest(log: Log, request: LoggedRequest, pool: () => Fields = () => ({})): void {
  log.debug('request', () => {
    const { system, operation, baseUrl, code, bytes, seconds, said } = request
    const host = new URL(baseUrl).host
    const isStatus = /^\d+$/.test(code)
    const end = isStatus ? { status: Number(code) } : { reason: code }
    const duration_ms = Math.round(seconds * 1000)
    return { system, operation, host, ...pool(), ...end, bytes, duration_ms, said: said?.() || undefined }
  })
}
