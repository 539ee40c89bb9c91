import { type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { readUpTo } from '../../api/http/transport.ts'
import { parsedJson } from '../../text.ts'
import { errorCode } from '../../values/errors.ts'
import { failureText } from './exit.ts'

export interface JsonRequest extends Pick<Dispatcher.RequestOptions, 'body'> {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** Limit of the whole exchange. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** The error if there is no response. Default: one with the reason. */
  readonly noResponse?: (reason: string) => Error
}

/** The rules of a large Prometheus take some megabytes. A server may send without end. */
const MAX_BYTES = 64_000_000

export interface JsonResponse {
  readonly status: number
  /** Undefined if it is not JSON. */
  readonly body: unknown
}

/** @throws the error of `noResponse`; the reason of the signal after its abort */
export async function requestJson(url: string, options: JsonRequest): Promise<JsonResponse> {
  const { timeoutMs, signal, method = 'GET', noResponse, ...rest } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  try {
    const { statusCode: status, body } = await request(url, { method, ...rest, signal: ends })
    const { bytes, whole } = await readUpTo(body, MAX_BYTES)
    if (!whole) throw new Error(`the response is larger than ${MAX_BYTES} bytes`)
    return { status, body: parsedJson(new TextDecoder().decode(bytes)) }
  } catch (failure) {
    signal?.throwIfAborted()
    const late = timeout.aborted ? new Error(`no response within ${timeoutMs / 1000} s`) : failure
    // The message is empty if several addresses were tried.
    const reason = failureText(late) || errorCode(late)
    throw noResponse?.(reason) ?? new Error(reason, { cause: late })
  }
}

/** Text of an API, which may be missing. */
export const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

/** A list of an API. Programs in Go write an empty one as null, too. */
export const listOf = <Schema extends z.ZodType>(one: Schema) =>
  z
    .array(one)
    .nullish()
    .transform((list) => list ?? [])
