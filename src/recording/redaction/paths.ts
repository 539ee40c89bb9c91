import type { Kind } from './kinds.ts'
import type { RedactText } from './texts.ts'
import { PATH_WORDS, WORDS } from './words.ts'

/** What the segments after a word of a path are. They are names, even if they are words, too. */
const AFTER_WORD: Readonly<Record<string, readonly Kind[]>> = {
  storagepools: ['id'],
  nodes: ['id'],
  replicationgroups: ['id'],
  rglinks: ['id'],
  authnproviders: ['id'],
  namespace: ['namespace'],
  bucket: ['bucket'],
  buckets: ['namespace', 'bucket'],
}

const MAX_PATH_CHARACTERS = 4096
const MAX_SEGMENTS = 20
/** Values of parameters that hold no name: times, counts, units, time frames and targets. */
const PLAIN_VALUE = /^(\d{1,12}|\{?(\d{1,5}[dw]?;?){1,20}\}?)$/
const PLAIN_PARAMETERS: ReadonlySet<string> = new Set(
  'limit dataType startTime endTime interval category cfTimeFrame cfTarget sizeunit acknowledged ping item'.split(
    ' ',
  ),
)
const NAME_PARAMETERS: Readonly<Record<string, Kind>> = {
  namespace: 'namespace',
  marker: 'marker',
  name: 'name',
}

export type PathRedaction = ReturnType<typeof createPathRedaction>

export function createPathRedaction(redact: RedactText) {
  function path(text: string): string {
    const segments = text.split('/')
    if (text.length > MAX_PATH_CHARACTERS || segments.length > MAX_SEGMENTS) return '/'
    let kinds: readonly Kind[] = []
    return segments
      .map((segment, index) => {
        if (segment === '') return ''
        // Also without the name of a namespace or bucket before it.
        const isInfo = segment === 'info' && index === segments.length - 1
        const isWord = isInfo || (kinds.length === 0 && PATH_WORDS.has(segment))
        const [kind = 'id', ...next] = kinds
        kinds = isWord && Object.hasOwn(AFTER_WORD, segment) ? (AFTER_WORD[segment] ?? []) : next
        return isWord ? segment : encoded(redact(decoded(segment), kind))
      })
      .join('/')
  }

  /** Replaces the names in a query string. Parameters that are not known are left out. */
  function query(text: string): string {
    return text
      .slice(0, MAX_PATH_CHARACTERS)
      .split('&')
      .flatMap((part) => {
        const [name = '', ...rest] = part.split('=')
        const value = decoded(rest.join('='))
        const kind = NAME_PARAMETERS[name]
        if (Object.hasOwn(NAME_PARAMETERS, name) && kind !== undefined)
          return `${name}=${encodeURIComponent(redact(value, kind))}`
        const isPlain =
          PLAIN_PARAMETERS.has(name) && (value === '' || PLAIN_VALUE.test(value) || WORDS.has(value))
        return isPlain ? part : []
      })
      .join('&')
  }

  return {
    path,
    query,
    /** Replaces the names in a link: a path with or without a query. Scheme and host are left out. */
    href(href: string): string {
      const trimmed = href.trim().slice(0, MAX_PATH_CHARACTERS)
      const url = /^[a-z]+:\/\//i.test(trimmed) ? URL.parse(trimmed) : undefined
      const whole = url === null ? '/' : url === undefined ? trimmed : `${url.pathname}${url.search}`
      const at = whole.indexOf('?')
      const [before, after] = at < 0 ? [whole, ''] : [whole.slice(0, at), query(whole.slice(at + 1))]
      return `${path(before)}${after === '' ? '' : `?${after}`}`
    },
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':')
}
