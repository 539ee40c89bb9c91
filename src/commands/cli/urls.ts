import { EXIT, Failed } from './exit.ts'

/**
 * A web address that a flag gives.
 * @throws {Failed} wrong usage: it is none, or it carries a user or password. The words never repeat it.
 */
export function parseHttpUrl(flag: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failed(`${flag} must begin with http:// or https://`, EXIT.usage)
  }
  if (url.username === '' && url.password === '') return url
  const why = 'every user of this machine can read command lines'
  throw new Failed(`${flag} must not contain a user or password: ${why}`, EXIT.usage)
}
