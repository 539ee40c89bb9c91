/** A recording: a file of JSON lines, first a header, then one exchange a line. */

/** Version of the format, the member `recording` of the header. */
const FORMAT = 1

export interface RecordingHeader {
  readonly recording: typeof FORMAT
  /** Program and version that wrote it. */
  readonly program: string
  /** RFC 3339, UTC. */
  readonly recorded_at: string
  /** Whether every request was sent. */
  readonly complete: boolean
  /** Whether names are those of the system. */
  readonly names: 'replaced' | 'kept'
  /** Software versions of the nodes. */
  readonly versions: readonly string[]
  /** Where the answers are from, if they were not recorded. */
  readonly source?: string
}

export interface RecordedRequest {
  /** As in the label `operation` of the exporter's metrics. */
  readonly operation: string
  readonly method: 'GET' | 'POST'
  /** Below the base URL, encoded. */
  readonly path: string
  readonly query?: string
  /** The JSON that was sent. */
  readonly body?: unknown
}

/** What a body is. The body of a page or of other text is not recorded. */
export const BODY_FORMATS = ['json', 'xml', 'html', 'text', 'empty'] as const
export type BodyFormat = (typeof BODY_FORMATS)[number]

/** A request with its answer, or with the reason why no whole answer came. */
export interface RecordedExchange {
  readonly request: RecordedRequest
  /** Time of the answer by the clock of the system, in seconds since the epoch. */
  readonly at: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly format?: BodyFormat
  /** The JSON value, or the text of the document. */
  readonly body?: unknown
  readonly failure?: string
}

export interface Recording {
  readonly header: RecordingHeader
  readonly exchanges: readonly RecordedExchange[]
}

/** The lines of a recording, each without its line end. */
export function recordingLines({ header, exchanges }: Recording): string[] {
  return [header, ...exchanges].map((line) => JSON.stringify(line))
}

/** @throws RangeError with the number of the line, for a text that is no recording */
export function parseRecording(text: string): Recording {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const [first = '', ...rest] = lines
  const header = parsed(first, 1)
  if (!isHeader(header)) throw new RangeError(`line 1 is not the header of a recording of format ${FORMAT}`)
  const exchanges = rest.map((line, index) => {
    const exchange = parsed(line, index + 2)
    if (!isExchange(exchange)) throw new RangeError(`line ${index + 2} is not a recorded request`)
    return exchange
  })
  return { header, exchanges }
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new RangeError(`line ${number} is not JSON`)
  }
}

type Members = Readonly<Record<string, unknown>>

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHeader(value: unknown): value is RecordingHeader {
  return (
    isMembers(value) &&
    value['recording'] === FORMAT &&
    ['program', 'recorded_at', 'names'].every((name) => typeof value[name] === 'string') &&
    typeof value['complete'] === 'boolean' &&
    isTexts(value['versions'])
  )
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isExchange(value: unknown): value is RecordedExchange {
  if (!isMembers(value) || !isMembers(value['request']) || typeof value['at'] !== 'number') return false
  const { request, status, failure, format, headers = {} } = value
  const { operation, method, path, query = '' } = request
  const isRequest =
    [operation, path, query].every((text) => typeof text === 'string') &&
    (method === 'GET' || method === 'POST')
  const isOutcome =
    typeof failure === 'string' ||
    (isStatus(status) && BODY_FORMATS.some((name) => name === format) && isMembers(headers))
  return isRequest && isOutcome
}

function isStatus(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 200 && value < 600
}
