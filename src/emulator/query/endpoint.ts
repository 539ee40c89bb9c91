import { MS_PER_SECOND } from '../../time_units.ts'
import { oncePerKey } from '../../values/cache.ts'
import { EmulatedError, QueryError } from '../protocol/errors.ts'
import { isObject, parsedJson } from '../protocol/format.ts'
import { PROFILES } from '../protocol/profiles.ts'
import type { ResourceRequest } from '../resources/request.ts'
import { columnNames, evaluate, type QueryResult } from './evaluate.ts'
import { type Instant, parseFlux } from './flux.ts'

const JSON_TYPE = 'application/json'

/** @throws EmulatedError 404 or 503 in profiles without the interface; QueryError 406, 400 or 500 */
export function answerQuery(request: ResourceRequest) {
  const { context, settings } = request
  const { flux } = PROFILES[request.profile]
  if (flux === 'absent') throw new EmulatedError('notFound', `There is nothing under ${context.path}`)
  if (flux === 'unavailable') throw new EmulatedError('unreachable', '')
  const mediaType = context.accepts(JSON_TYPE)
  if (mediaType === false)
    throw new QueryError(`unsupported response media type: ${context.get('accept')}`, 406)
  const result = evaluate(parseFlux(scriptOf(request), settings), request)
  const measurements = new Set(result.tables.map(({ columns }) => columns['_measurement'] ?? ''))
  const isCombined = measurements.size > 1
  if (isCombined && settings['combined-refused'] !== undefined)
    throw new QueryError('requested operation merges tables with different schemas for group key {}')
  const broken = settings['measurement-error']
  if (broken !== undefined && measurements.has(broken))
    throw new QueryError('internal error: this error is made on purpose')
  const isEmptied = isCombined && settings['combined-empty'] !== undefined
  const answered = isEmptied ? { ...result, tables: [] } : result
  return { mediaType, text: jsonOf(answered), long: answered.tables.length > MAX_SHORT_TABLES }
}

/** The script of a request. @throws QueryError 400 */
export function scriptOf({ context, body }: Pick<ResourceRequest, 'context' | 'body'>): string {
  const contentType = context.get('content-type')
  if (contentType.startsWith('application/vnd.flux')) return body
  if (!contentType.startsWith(JSON_TYPE)) {
    throw new QueryError(`unsupported request media type: ${contentType}`, 400)
  }
  const value = parsedJson(body)
  const query = isObject(value) ? value['query'] : undefined
  if (typeof query !== 'string') throw new QueryError('failed to decode request body: no query', 400)
  return query
}

/** The body of a query that found nothing. */
const EMPTY = '{"Series":[{"Datatypes":null,"Columns":null,"Values":null}]}'
/** The text of more is made with pauses for other requests. */
const MAX_SHORT_TABLES = 500
const TIME_TYPE = 'dateTime:RFC3339'

/**
 * The result as pieces of JSON text. There is one list of columns for all tables: columns that some of them do not
 * have are lost. There is one list of types too, that of the first table. Every cell is a string.
 */
export function* jsonOf(result: QueryResult): Generator<string> {
  const [first] = result.tables
  if (first === undefined) {
    yield EMPTY
    return
  }
  const names = columnNames(first.columns).filter((name) =>
    result.tables.every(({ columns }) => Object.hasOwn(columns, name)),
  )
  const types = [
    'long',
    ...result.pointColumns.map((name) => (name === '_value' ? first.type : TIME_TYPE)),
    ...names.map(() => 'string'),
  ]
  const columns = ['table', ...result.pointColumns, ...names]
  yield `{"Series":[{"Datatypes":${JSON.stringify(types)},"Columns":${JSON.stringify(columns)},"Values":[`
  yield* rowsOf(result, names)
  yield ']}]}'
}

function* rowsOf(
  { tables, pointColumns, start, stop }: QueryResult,
  names: readonly string[],
): Generator<string> {
  // The rows of a node have the same few times.
  const timeText = oncePerKey((seconds: number) => instantText({ seconds, nanoseconds: 0 }))
  const [_start, _stop] = [instantText(start), instantText(stop)]
  for (const [index, { columns, points }] of tables.entries()) {
    const tags = names.map((name) => columns[name])
    const rows = points.map(({ time, value }) => {
      const cells = { _start, _stop, _time: timeText(time), _value: value }
      return JSON.stringify([String(index), ...pointColumns.map((name) => cells[name]), ...tags])
    })
    yield `${index === 0 ? '' : ','}${rows.join(',')}`
  }
}

const NANOSECOND_DIGITS = 9

/** RFC 3339 in UTC, with the fraction of the second without trailing zeros. */
function instantText({ seconds, nanoseconds }: Instant): string {
  const whole = new Date(seconds * MS_PER_SECOND).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)
  const fraction = String(nanoseconds).padStart(NANOSECOND_DIGITS, '0').replace(/0+$/, '')
  return `${whole}${fraction === '' ? '' : `.${fraction}`}Z`
}
