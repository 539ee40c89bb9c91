/** The error code of Node.js, OpenSSL or undici; empty if there is none. */
export function errorCode(failure: unknown): string {
  if (!(failure instanceof Error)) return ''
  const own = 'code' in failure && typeof failure.code === 'string' ? failure.code : ''
  const inner = errorCode(failure.cause)
  // undici wraps socket errors; the inner code is more specific.
  return own === 'UND_ERR_SOCKET' && inner !== '' ? inner : own || inner
}

export function errorText(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure)
}
