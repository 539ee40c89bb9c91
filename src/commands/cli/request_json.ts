import { type Dispatcher, request } from 'undici'
import { readUpTo } from '../../api/http/body.ts'
import { errorCode } from '../../values/errors.ts'

export interface JsonRequest extends Pick<Dispatcher.RequestOptions, 'body'> {
  /** Default: GET. */
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** Limit of the whole exchange. */
  readonly timeoutMs: number
  /** A server may send without end. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

export interface JsonResponse {
  readonly status: number
  /** Undefined if it is not JSON. */
  readonly body: unknown
}

/** @throws {Error} with the reason in words, if there is no response; the reason of the signal after its abort */
export async function requestJson(url: string, options: JsonRequest): Promise<JsonResponse> {
  const { timeoutMs, maxBytes, signal, method = 'GET', ...rest } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
  try {
    const { statusCode: status, body } = await request(url, { method, ...rest, signal: ends })
    const { bytes, whole } = await readUpTo(body, maxBytes)
    if (!whole) throw new Error(`the response is larger than ${maxBytes} bytes`)
    return { status, body: parsed(new TextDecoder().decode(bytes)) }
  } catch (failure) {
    signal?.throwIfAborted()
    if (timeout.aborted) throw new Error(`no response within ${timeoutMs / 1000} s`)
    // The message is empty if several addresses were tried.
    throw failure instanceof Error && failure.message === '' ? new Error(errorCode(failure)) : failure
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
