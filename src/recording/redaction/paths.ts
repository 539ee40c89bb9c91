import { QUERY_PATH } from '../../query_catalogue.ts'
import { OBJECT_KINDS } from '../../system_catalogue.ts'
import type { Kind } from './kinds.ts'
import type { RedactText } from './texts.ts'
import { PATH_WORDS, WORDS } from './words.ts'

/** Parameters of paths, and what they hold. */
const PLACEHOLDERS: Readonly<Record<string, Kind>> = {
  pool: 'id',
  node: 'id',
  group: 'id',
  namespace: 'namespace',
  bucket: 'bucket',
  provider: 'id',
}

/** Paths of requests and links that have the id or name of something. */
const TEMPLATES = [
  ...[...OBJECT_KINDS.values()].map(({ path }) => path),
  '/dashboard/storagepools/{pool}/nodes',
  '/dashboard/storagepools/{pool}',
  '/dashboard/nodes/{node}/disks',
  '/dashboard/nodes/{node}/processes',
  '/dashboard/nodes/{node}',
  '/dashboard/replicationgroups/{group}/rglinks',
  '/dashboard/replicationgroups/{group}/datatables',
  '/dashboard/replicationgroups/{group}',
  '/object/namespaces/namespace/{namespace}',
  '/object/billing/namespace/{namespace}/info',
  '/object/billing/buckets/{namespace}/{bucket}/info',
  '/vdc/admin/authnproviders/{provider}',
  QUERY_PATH,
].map((path) => path.split('/').filter((part) => part !== ''))

const MAX_PATH_CHARACTERS = 4096
const MAX_SEGMENTS = 20
/** Values of parameters that hold no name: times, counts, units, time frames and targets. */
const PLAIN_VALUE = /^(\d{1,12}|\{?(\d{1,5}[dw]?;?){1,20}\}?)$/
const PLAIN_PARAMETERS: ReadonlySet<string> = new Set(
  'limit dataType startTime endTime interval category cfTimeFrame cfTarget sizeunit acknowledged'.split(' '),
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
    const filled = segments.filter((segment) => segment !== '')
    const template = TEMPLATES.find((parts) => matches(parts, filled))
    const kindOf = (index: number): Kind | undefined => {
      if (template !== undefined) return PLACEHOLDERS[placeholderIn(template[index]) ?? '']
      return PATH_WORDS.has(filled[index] ?? '') ? undefined : 'id'
    }
    let index = -1
    return segments
      .map((segment) => {
        if (segment === '') return ''
        index += 1
        const kind = kindOf(index)
        return kind === undefined ? segment : encoded(redact(decoded(segment), kind))
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
        const isPlain = PLAIN_PARAMETERS.has(name) && (PLAIN_VALUE.test(value) || WORDS.has(value))
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

function placeholderIn(part = ''): string | undefined {
  return /^\{(\w+)\}$/.exec(part)?.[1]
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => placeholderIn(part) !== undefined || part === segments[index])
  )
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
