export interface FetchOptions extends Omit<RequestInit, 'signal'> {
  /** Limit of the whole exchange. */
  readonly timeoutMs: number
  /** A server may send without end. */
  readonly maxBytes: number
  /** Ends the request. */
  readonly signal?: AbortSignal
}

export interface JsonResponse {
  readonly status: number
  /** Undefined if it is not JSON. */
  readonly body: unknown
}

/**
 * Sends a request to another service and reads its response.
 * @throws {Error} with the reason in words, if there is no response; the reason of the signal after its abort
 */
export async function fetchJson(url: string, options: FetchOptions): Promise<JsonResponse> {
  const { timeoutMs, maxBytes, signal, ...init } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const ends = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    const response = await fetch(url, { ...init, signal: ends })
    return { status: response.status, body: parsed(await textOf(response, maxBytes)) }
  } catch (failure) {
    signal?.throwIfAborted()
    throw new Error(timeout.aborted ? `no response within ${timeoutMs / 1000} s` : reasonOf(failure))
  }
}

async function textOf(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let length = 0
  let text = ''
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The message of `fetch` is "fetch failed"; its cause has none if several addresses were tried. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure)
  const { cause } = failure
  if (!(cause instanceof Error)) return failure.message
  return cause.message || ('code' in cause ? String(cause.code) : failure.message)
}
