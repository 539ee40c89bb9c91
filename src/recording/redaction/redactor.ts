import { ApiError } from '../../api/errors/errors.ts'
import type { ReceivedExchange, ReceivedResponse } from '../../api/http/exchanges.ts'
import { isObject, type JsonObject, member } from '../../api/parse/json.ts'
import { isPage } from '../../api/parse/markup.ts'
import { parseXml, type XmlElement } from '../../api/parse/xml.ts'
import { QUERY_PATH } from '../../query_catalogue.ts'
import { type Element, writeXml } from '../../xml_writer.ts'
import type { RecordedExchange, RecordedRequest } from '../format.ts'
import { KINDS, kindByRequest, SECRET_NAME, type TextKind } from './kinds.ts'
import { createStandIns, type StandIns } from './stand_ins.ts'
import { createPathRedaction, createTextRedaction, DROPPED, type TextOptions } from './texts.ts'
import { COLUMNS } from './words.ts'

/** Makes recorded exchanges of received ones, without the texts of the system. */
export function createRedactor(options: TextOptions, standIns: StandIns = createStandIns()) {
  const parts = partsOf(options, standIns)
  const { paths, unknown } = parts
  return {
    standIns,
    /** Names of members that are not known, as they came. */
    unknownMembers: (): ReadonlySet<string> => unknown,
    exchange({
      outcome,
      operation: label,
      method,
      path,
      query = '',
      body,
    }: ReceivedExchange): RecordedExchange {
      // Resources are read with queries, too.
      const operation = path === QUERY_PATH ? 'query' : label
      const bodies = createBodyRedaction(parts, operation)
      const sent: unknown = body === undefined ? undefined : JSON.parse(body)
      const request: RecordedRequest = {
        operation: label,
        method,
        path: paths.path(path),
        ...(query !== '' && { query: paths.query(query) }),
        // The texts of queries are those of the exporter.
        ...(body !== undefined && { body: operation === 'query' ? sent : bodies.json(sent) }),
      }
      if (typeof outcome === 'string') return { request, at: Math.floor(Date.now() / 1000), failure: outcome }
      return { request, ...answerOf(outcome, bodies) }
    },
  }
}

type Parts = ReturnType<typeof partsOf>

function partsOf(options: TextOptions, standIns: StandIns) {
  const redact = createTextRedaction(standIns, options)
  return { standIns, redact, paths: createPathRedaction(redact), unknown: new Set<string>() }
}

function answerOf({ status, text, header, at }: ReceivedResponse, bodies: BodyRedaction) {
  const location = header('location')
  const seconds = header('retry-after')?.trim() ?? ''
  const headers = {
    ...(location !== undefined && { location: /\/login\b/i.test(location) ? '/login' : '/' }),
    ...(/^\d{1,6}$/.test(seconds) && { 'retry-after': seconds }),
  }
  // The Date header has whole seconds.
  const dateMs = Date.parse(header('date') ?? '')
  return {
    at: Math.floor(Number.isFinite(dateMs) ? dateMs / 1000 : at),
    status,
    ...(Object.keys(headers).length > 0 && { headers }),
    ...bodyOf(text, bodies),
  }
}

function bodyOf(text: string, bodies: BodyRedaction): Pick<RecordedExchange, 'format' | 'body'> {
  const trimmed = text.trim()
  if (trimmed === '') return { format: 'empty' }
  if (isPage(trimmed)) return { format: 'html' }
  try {
    return trimmed.startsWith('<')
      ? { format: 'xml', body: writeXml(bodies.xml(parseXml(trimmed))) }
      : { format: 'json', body: bodies.json(JSON.parse(trimmed)) }
  } catch (failure) {
    if (failure instanceof SyntaxError || failure instanceof ApiError) return { format: 'text' }
    throw failure
  }
}

/** No known member has a longer name. */
const MAX_NAME_CHARACTERS = 100
/** Deeper values are dropped. Answers of the product have up to ten levels. */
const MAX_DEPTH = 40

type BodyRedaction = ReturnType<typeof createBodyRedaction>

/**
 * Replaces the texts of the bodies of an exchange, and the names of members that are not known. Everything else stays.
 * @param operation of the request
 */
function createBodyRedaction({ standIns, redact, paths, unknown }: Parts, operation: string) {
  function nameOf(name: string): string {
    if (KINDS.has(name.trim())) return name
    unknown.add(name)
    return standIns.of(name, 'member')
  }

  function json(value: unknown, kind: TextKind = 'member', depth = 0): unknown {
    if (kind === 'secret' || depth > MAX_DEPTH) return DROPPED
    if (typeof value === 'string') return kind === 'href' ? paths.href(value) : redact(value, kind)
    if (Array.isArray(value)) return value.map((item) => json(item, kind, depth + 1))
    if (!isObject(value)) return value
    const table = tableOf(value, depth)
    const members = Object.entries(value).map(([name, inner]) => {
      if (Object.hasOwn(table, name)) return [name, table[name]]
      return [nameOf(name), json(inner, kindOf(name, operation), depth + 1)]
    })
    return Object.fromEntries(members)
  }

  /** Rows of the answer to a query, and the names of their columns; empty for any other object. */
  function tableOf(object: JsonObject, depth: number): JsonObject {
    const [rows, names] = [member(object, 'Values'), member(object, 'Columns')]
    if (!Array.isArray(rows) || !Array.isArray(names)) return {}
    const columns = names.map(String)
    const kinds = columns.map(
      (name): TextKind => (COLUMNS.includes(name) ? kindOf(name, operation) : 'member'),
    )
    const cellOf = (cell: unknown, index: number) => json(cell, kinds[index], depth + 2)
    return {
      Columns: columns.map((name) => (COLUMNS.includes(name) ? name : nameOf(name))),
      Values: rows.map((row) => (Array.isArray(row) ? row.map(cellOf) : json(row, 'member', depth + 1))),
    }
  }

  function xml({ name, attributes, children, text }: XmlElement): Element {
    const textOf = (own: string, member: string) => String(json(own, kindOf(member, operation)))
    const isText = children.length === 0 || kindOf(name, operation) === 'secret'
    return {
      name: nameOf(name),
      attributes: Object.fromEntries(
        [...attributes].map(([attribute, value]) => [nameOf(attribute), textOf(value, attribute)]),
      ),
      content: isText ? textOf(text, name) : children.map(xml),
    }
  }

  return { json, xml }
}

/** What the member of a name holds. Some samples of documents have blanks around names. */
function kindOf(name: string, operation: string): TextKind {
  const kind = KINDS.get(name.length > MAX_NAME_CHARACTERS ? '' : name.trim())
  if (kind === undefined) return SECRET_NAME.test(name) ? 'secret' : 'member'
  return kind === 'by-request' ? kindByRequest(name.trim(), operation) : kind
}
