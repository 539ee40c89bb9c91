import { z } from 'zod'

/** A recording: a file of JSON lines, first a header, then one exchange a line. */

const FORMAT = 1

const header = z.object({
  recording: z.literal(FORMAT),
  /** Program and version that wrote it. */
  program: z.string(),
  /** RFC 3339, UTC. */
  recorded_at: z.string(),
  /** Whether every request was sent. */
  complete: z.boolean(),
  /** Whether names are those of the system. */
  names: z.enum(['replaced', 'kept']),
  /** Software versions of the nodes. */
  versions: z.array(z.string()).readonly(),
})

const request = z.object({
  /** As in the label `operation` of the exporter's metrics. */
  operation: z.string(),
  method: z.enum(['GET', 'POST']),
  /** Below the base URL, encoded. */
  path: z.string(),
  query: z.string().exactOptional(),
  /** The JSON that was sent. */
  body: z.unknown().optional(),
})
export type RecordedRequest = Readonly<z.output<typeof request>>

const exchange = z
  .object({
    request,
    /** Time of the answer by the clock of the system, in seconds since the epoch. */
    at: z.number(),
    status: z.int().min(200).max(599).exactOptional(),
    /** What the body is. That of a page or of other text is not recorded. */
    format: z.enum(['json', 'xml', 'html', 'text', 'empty']).exactOptional(),
    /** The JSON value, or the text of the document. */
    body: z.unknown().optional(),
    /** Why no whole answer came. */
    failure: z.string().exactOptional(),
  })
  .refine(
    ({ status, format, failure }) => failure !== undefined || (status !== undefined && format !== undefined),
  )
/** A request with its answer, or with the reason why no whole answer came. */
export type RecordedExchange = Readonly<z.output<typeof exchange>>

export interface Recording {
  readonly header: Readonly<z.output<typeof header>>
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
  return {
    header: parsed(header, first, 1, `is not the header of a recording of format ${FORMAT}`),
    exchanges: rest.map((line, index) => parsed(exchange, line, index + 2, 'is not a recorded request')),
  }
}

function parsed<Output>(schema: z.ZodType<Output>, line: string, number: number, problem: string): Output {
  const result = schema.safeParse(jsonIn(line, number))
  if (result.success) return result.data
  throw new RangeError(`line ${number} ${problem}`)
}

function jsonIn(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new RangeError(`line ${number} is not JSON`)
  }
}
