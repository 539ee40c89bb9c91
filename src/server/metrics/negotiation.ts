import Negotiator from 'negotiator'
import { FORMATS, type Format } from '../../metrics/lines.ts'

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
