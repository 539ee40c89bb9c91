import type { Context } from 'koa'
import { ApiError, QueryError } from '../protocol/errors.ts'
import { isObject, parsedJson } from '../protocol/json.ts'
import { PROFILES } from '../protocol/profiles.ts'
import type { Settings } from '../protocol/settings.ts'
import { type Evaluation, evaluate } from './evaluate.ts'
import { parseFlux } from './flux/parse.ts'
import { isLong, jsonOf } from './json.ts'

interface QueryRequest extends Evaluation, Settings {
  readonly context: Context
  readonly body: string
}

const JSON_TYPE = 'application/json'

/**
 * `POST /flux/api/external/v2/query`: a script, as JSON or as the whole body.
 *
 * @throws ApiError 404 or 503 in profiles without the interface; QueryError 406, 400 or 500
 */
export function answerQuery(request: QueryRequest) {
  const { context } = request
  const { state } = PROFILES[request.source.profile].query
  if (state === 'absent') throw new ApiError('notFound', `There is nothing under ${context.path}`)
  if (state === 'unavailable') throw new ApiError('unreachable', '')
  const mediaType = context.accepts(JSON_TYPE)
  if (mediaType === false) {
    throw new QueryError(`unsupported response media type: ${context.get('accept')}`, 406)
  }
  const result = evaluate(parseFlux(scriptOf(request), request), request)
  const measurements = new Set(result.tables.map(({ columns }) => columns['_measurement']))
  if (request.refusesCombined && measurements.size > 1) {
    throw new QueryError('requested operation merges tables with different schemas for group key {}')
  }
  if (request.failingMeasurement !== undefined && measurements.has(request.failingMeasurement)) {
    throw new QueryError('internal error: this error is made on purpose')
  }
  const isEmptied = request.emptiesCombined && measurements.size > 1
  const answered = isEmptied ? { ...result, tables: [] } : result
  return { mediaType, text: jsonOf(answered), long: isLong(answered) }
}

/** The script of a request. @throws QueryError 400 */
export function scriptOf({ context, body }: Pick<QueryRequest, 'context' | 'body'>): string {
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
