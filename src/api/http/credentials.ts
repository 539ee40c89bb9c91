import { Secret, tokenFromText } from '../../values/secret.ts'
import { ApiError } from '../errors/errors.ts'

/** The header that carries the token, both ways. API document, "Authentication", rule 1. */
export const TOKEN_HEADER = 'X-SDS-AUTH-TOKEN'

/** What a request sends besides its other headers. */
export function tokenHeader(token: Secret): Readonly<Record<string, string>> {
  return { [TOKEN_HEADER]: token.reveal() }
}

/** What a login sends: name and password in UTF-8. */
export function basicHeader(username: string, password: Secret): Readonly<Record<string, string>> {
  const credentials = Buffer.from(`${username}:${password.reveal()}`).toString('base64')
  return { Authorization: `Basic ${credentials}` }
}

/**
 * The token in the response to a login that was accepted.
 * @throws {ApiError} `schema` for a token that cannot be one, `html` where there is none: a web server that responds
 *   to everything with its own page is not the storage system, and another endpoint may be
 */
export function tokenOf({ header }: { header: (name: string) => string | undefined }): Secret {
  const text = header(TOKEN_HEADER)
  const token = tokenFromText(text ?? '')
  if (token instanceof Secret) return token
  const words = `the login was accepted, but the header ${TOKEN_HEADER} of the response ${token}: is it the right address?`
  throw new ApiError(text === undefined ? 'html' : 'schema', words)
}
