import type { HttpResponse } from '../../../src/api/http/transport.ts'
import { Secret } from '../../../src/values/secret.ts'

/** A response as returned by the transport. */
export function responseOf(
  status: number,
  text = '',
  headers: Readonly<Record<string, string>> = {},
  baseUrl = 'https://127.0.0.1:4443',
): HttpResponse {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    baseUrl,
    status,
    respondedAtMs: Date.now(),
    header: (name) => lower.get(name.toLowerCase()),
    text,
    bytes: Buffer.byteLength(text),
    decode: async (use) => use(text),
    redact: (words) => words,
  }
}

export function secret(text: string): Secret {
  return new Secret(text)
}

/** A signal that never aborts. */
export function never(): AbortSignal {
  return new AbortController().signal
}
