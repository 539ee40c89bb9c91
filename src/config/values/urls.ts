import { z } from 'zod'

/**
 * An http or https URL without a slash at its end, a query or a fragment.
 * @param remedy where a user and a password belong
 */
export function httpUrl(remedy: string) {
  return z
    .string('expected text')
    .min(1, 'must not be empty')
    .transform((input, context): string => {
      const url = URL.parse(input)
      const problem = url === null ? 'not a URL' : problemOf(url, remedy)
      if (url !== null && problem === undefined) return url.href.replace(/\/+$/, '')
      context.addIssue({ code: 'custom', message: problem ?? 'not a URL' })
      return z.NEVER
    })
}

function problemOf(url: URL, remedy: string): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://'
  if (url.username !== '' || url.password !== '') return `must not contain a user or password: ${remedy}`
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment'
  return undefined
}
