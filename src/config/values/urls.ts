import { z } from 'zod'

/** A host without a scheme, which is quoted, because it has no place for a password. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?\/?$/i

const MAX_CHARACTERS = 2048

/**
 * An http or https URL without a slash at its end, a query or a fragment.
 * @param remedy where a user and a password belong
 * @param usualPort what is suggested for a host without a scheme and a port: `:4443`
 */
export function httpUrl(remedy: string, usualPort = '') {
  const suggestion = (input: string) => {
    const [, host, port = usualPort] = HOST.exec(input) ?? []
    return host === undefined ? '' : `: write https://${host}${port}`
  }
  return z
    .string('expected text')
    .min(1, 'must not be empty')
    .max(MAX_CHARACTERS, { error: `must be at most ${MAX_CHARACTERS} characters`, abort: true })
    .transform((input, context): string => {
      const url = URL.parse(input)
      const problem = url === null ? 'not a URL' : problemOf(url, remedy)
      if (url !== null && problem === undefined) return withWrittenPort(url, input).replace(/\/+$/, '')
      context.addIssue({ code: 'custom', message: `${problem}${suggestion(input)}` })
      return z.NEVER
    })
}

/** A port that is written is kept, also if it is the default one: it tells that this port is meant. */
function withWrittenPort({ protocol, host, port, href }: URL, input: string): string {
  const written = /^\s*https?:\/\/[^/?#]*?:0*(\d+)([/?#]|\s*$)/i.exec(input)?.[1]
  if (port !== '' || written === undefined) return href
  return href.replace(`${protocol}//${host}`, `${protocol}//${host}:${written}`)
}

function problemOf(url: URL, remedy: string): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://'
  if (url.username !== '' || url.password !== '') return `must not contain a user or password: ${remedy}`
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment'
  return undefined
}
