import Negotiator from 'negotiator'
import { FORMATS, type Format } from '../../metrics/lines.ts'
import { BoundedMap } from '../../values/bounded_map.ts'

/** Prometheus 3 adds it; no name here has a character that would be escaped. */
const ESCAPING = /;\s*escaping=[^;,]*/gi

/** The format with the highest quality; text if both match the same wildcard, and for anything else. */
export function chooseFormat(accept = ''): Format {
  const negotiator = new Negotiator({ headers: { accept: accept.replace(ESCAPING, '') } })
  return negotiator.mediaType(Object.values(FORMATS)) === FORMATS.openmetrics ? 'openmetrics' : 'text'
}

/** Whether the client accepts gzip, by name or by `*`, with a quality above 0. */
export function acceptsGzip(acceptEncoding = ''): boolean {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  return negotiator.encoding(['gzip']) !== undefined
}

/** Scrapers send few different headers. */
const KEPT_HEADERS = 20

/** The same function, which keeps its last results: reading an `Accept` header takes a tenth of the CPU time of a gzip scrape. */
export function memoize<T>(choose: (header?: string) => T): (header?: string) => T {
  const kept = new BoundedMap<string, { readonly result: T }>(KEPT_HEADERS)
  return (header = '') => {
    const known = kept.get(header)
    if (known !== undefined) return known.result
    const result = choose(header)
    kept.set(header, { result })
    return result
  }
}
