import type { Secret } from '../../values/secret.ts'

/** The header that carries the token, both ways. API document, "Authentication", rule 1. */
export const TOKEN_HEADER = 'X-SDS-AUTH-TOKEN'

/** What a request sends besides its other headers. */
export function tokenHeader(token: Secret): Readonly<Record<string, string>> {
  return { [TOKEN_HEADER]: token.reveal() }
}
