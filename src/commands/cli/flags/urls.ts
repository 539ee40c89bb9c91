import { EXIT, Failed } from '../exit.ts'

/**
 * Parses an http or https URL without credentials.
 * @throws {Failed} usage error; the message does not contain the URL
 */
export function parseHttpUrl(flag: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failed(`${flag} must begin with http:// or https://`, EXIT.usage)
  }
  if (url.username === '' && url.password === '') return url
  const reason = 'every local user can read command lines'
  throw new Failed(`${flag} must not contain a user or password: ${reason}`, EXIT.usage)
}

/**
 * Parses an http or https URL to which paths are added. It has no slash at its end.
 * @throws {Failed} usage error, as {@link parseHttpUrl}
 */
export function parseRootUrl(flag: string, text: string): string {
  const { search, hash, href } = parseHttpUrl(flag, text)
  if (search === '' && hash === '') return href.replace(/\/+$/, '')
  throw new Failed(`${flag} must not have a query or a fragment`, EXIT.usage)
}
