import { ApiError } from '../../api/errors/errors.ts'
import { isPage } from '../../api/parse/markup.ts'
import { parseXml } from '../../api/parse/xml.ts'
import type { ReceivedExchange, ReceivedResponse } from '../../api/request/exchanges.ts'
import { QUERY_PATH } from '../../query_catalogue.ts'
import { writeXml } from '../../xml_writer.ts'
import type { RecordedExchange, RecordedRequest } from '../format.ts'
import { type BodyRedaction, createBodyRedaction } from './bodies.ts'
import { createPathRedaction, type PathRedaction } from './paths.ts'
import { createStandIns, type StandIns } from './stand_ins.ts'
import { createTextRedaction, type TextOptions } from './texts.ts'

export type Redactor = ReturnType<typeof createRedactor>

/**
 * Makes recorded exchanges of received ones, without the texts of the system.
 * @param options what is kept
 */
export function createRedactor(options: TextOptions, standIns: StandIns = createStandIns()) {
  const unknown = new Set<string>()
  const redact = createTextRedaction(standIns, options)
  const paths = createPathRedaction(redact)
  const bodies = createBodyRedaction({ standIns, redact, paths, onUnknown: (name) => unknown.add(name) })
  return {
    standIns,
    /** Names of members that are not known, as they came. */
    unknownMembers: (): ReadonlySet<string> => unknown,
    exchange(received: ReceivedExchange): RecordedExchange {
      const { outcome } = received
      // Resources are read with queries, too.
      const operation = received.path === QUERY_PATH ? 'query' : received.operation
      const request = requestOf(received, operation, paths, bodies)
      if (typeof outcome === 'string') return { request, at: Math.floor(Date.now() / 1000), failure: outcome }
      return { request, ...answerOf(outcome, operation, bodies) }
    },
  }
}

function requestOf(
  { method, path, query, body, ...received }: ReceivedExchange,
  operation: string,
  paths: PathRedaction,
  bodies: BodyRedaction,
): RecordedRequest {
  const sent: unknown = body === undefined ? undefined : JSON.parse(body)
  // The texts of queries are those of the exporter.
  const redacted = operation === 'query' ? sent : bodies.json(sent, operation)
  return {
    operation: received.operation,
    method,
    path: paths.path(path),
    ...(query !== undefined && query !== '' && { query: paths.query(query) }),
    ...(body !== undefined && { body: redacted }),
  }
}

function answerOf(
  answer: ReceivedResponse,
  operation: string,
  bodies: BodyRedaction,
): Omit<RecordedExchange, 'request'> {
  const headers = headersOf(answer)
  return {
    at: secondsOf(answer),
    status: answer.status,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...bodyOf(answer.text, operation, bodies),
  }
}

/** The Date header has whole seconds. */
function secondsOf({ header, at }: ReceivedResponse): number {
  const dateMs = Date.parse(header('date') ?? '')
  return Math.floor(Number.isFinite(dateMs) ? dateMs / 1000 : at)
}

function headersOf({ header }: ReceivedResponse): Record<string, string> {
  const location = header('location')
  const seconds = header('retry-after')?.trim() ?? ''
  return {
    ...(location !== undefined && { location: /\/login\b/i.test(location) ? '/login' : '/' }),
    ...(/^\d{1,6}$/.test(seconds) && { 'retry-after': seconds }),
  }
}

type Body = Pick<RecordedExchange, 'format' | 'body'>

function bodyOf(text: string, operation: string, bodies: BodyRedaction): Body {
  const trimmed = text.trim()
  if (trimmed === '') return { format: 'empty' }
  if (isPage(trimmed)) return { format: 'html' }
  try {
    return trimmed.startsWith('<')
      ? { format: 'xml', body: writeXml(bodies.xml(parseXml(trimmed), operation)) }
      : { format: 'json', body: bodies.json(JSON.parse(trimmed), operation) }
  } catch (failure) {
    if (failure instanceof SyntaxError || failure instanceof ApiError) return { format: 'text' }
    throw failure
  }
}
