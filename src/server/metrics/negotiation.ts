import type { Format } from '../../metrics/exposition.ts'

interface Choice {
  readonly name: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** Splits an Accept header into its choices; an invalid quality becomes 0. */
function parseAccept(header: string): Choice[] {
  return header.split(',').map((entry) => {
    const [name = '', ...rest] = entry.split(';').map((part) => part.trim().toLowerCase())
    const parameters = new Map(
      rest.map((part) => part.split('=', 2).map((text) => text.trim()) as [string, string]),
    )
    const quality = Number(parameters.get('q') ?? '1')
    return { name, parameters, quality: quality >= 0 && quality <= 1 ? quality : 0 }
  })
}

const OPENMETRICS = 'application/openmetrics-text'
/** Media ranges that match the text format. It is also the default for anything else. */
const TEXT_NAMES = ['text/plain', 'text/*', '*/*']

/** OpenMetrics 1.0 if its quality is at least that of the text format, otherwise the text format. */
export function chooseFormat(accept: string | undefined): Format {
  const choices = parseAccept(accept ?? '')
  const best = (matches: (choice: Choice) => boolean) =>
    Math.max(0, ...choices.filter(matches).map(({ quality }) => quality))
  const openmetrics = best(({ name, parameters }) => {
    const version = parameters.get('version')
    return name === OPENMETRICS && (version === undefined || version === '1.0.0')
  })
  const named = choices.some(({ name }) => name === TEXT_NAMES[0])
  const text = best(({ name }) => (named ? name === TEXT_NAMES[0] : TEXT_NAMES.includes(name)))
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'text'
}

/** Whether the client accepts gzip, by name or by `*`, with a quality above 0. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const choices = parseAccept(acceptEncoding ?? '')
  const gzip =
    choices.find(({ name }) => name === 'gzip' || name === 'x-gzip') ??
    choices.find(({ name }) => name === '*')
  return gzip !== undefined && gzip.quality > 0
}
