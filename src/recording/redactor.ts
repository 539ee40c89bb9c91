import { ApiError } from '../api/errors/errors.ts'
import type { ReceivedExchange, ReceivedResponse } from '../api/http/exchanges.ts'
import { isObject, isPage, type JsonObject, member } from '../api/parse/json.ts'
import { parseXml, type XmlElement } from '../api/parse/xml.ts'
import { QUERY_PATH } from '../query_catalogue.ts'
import { type Element, writeXml } from '../xml_writer.ts'
import type { RecordedExchange, RecordedRequest } from './format.ts'
import { createStandIns, type StandIns } from './stand_ins.ts'
import {
  COLUMNS,
  ERROR_TYPE,
  FIELDS,
  INTERFACE_PREFIX,
  INTERFACE_WORDS,
  KINDS,
  kindByRequest,
  MEASUREMENT_NAMES,
  NAME_KINDS,
  PATH_WORDS,
  PHRASES,
  SECRET_NAME,
  SERVICE_NAMES,
  SHORT_WORD,
  type TextKind,
  WORDS,
} from './words.ts'

interface RedactorOptions {
  readonly keepsNames: boolean
  /** What is not even kept in names: secrets, hosts and users of the configuration. */
  readonly isSecret: (text: string) => boolean
}

/** Makes recorded exchanges of received ones, without the texts of the system. */
export function createRedactor(options: RedactorOptions, standIns: StandIns = createStandIns()) {
  const redact = createTextRedaction(standIns, options)
  const parts = { standIns, redact, paths: createPathRedaction(redact), unknown: new Set<string>() }
  const { paths, unknown } = parts
  return {
    standIns,
    /** Names of members that are not known, as they came. */
    unknownMembers: (): ReadonlySet<string> => unknown,
    exchange({ outcome, path, query = '', body, ...sent }: ReceivedExchange): RecordedExchange {
      const { operation, method } = sent
      // Resources are read with queries, too, whose texts are those of the exporter.
      const isQuery = path === QUERY_PATH
      const bodies = createBodyRedaction(parts, isQuery ? 'query' : operation)
      const json: unknown = body === undefined ? undefined : JSON.parse(body)
      const request: RecordedRequest = {
        operation,
        method,
        path: paths.path(path),
        ...(query !== '' && { query: paths.query(query) }),
        ...(body !== undefined && { body: isQuery ? json : bodies.json(json) }),
      }
      if (typeof outcome === 'string') return { request, at: Math.floor(Date.now() / 1000), failure: outcome }
      return { request, at: timeOf(outcome), status: outcome.status, ...bodyOf(outcome.text, bodies) }
    },
  }
}

/** The Date header has whole seconds. */
function timeOf({ header, at }: ReceivedResponse): number {
  const dateMs = Date.parse(header('date') ?? '')
  return Math.floor(Number.isFinite(dateMs) ? dateMs / 1000 : at)
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

/** Deeper values are dropped. Answers of the product have up to ten levels. */
const MAX_DEPTH = 40

interface Parts {
  readonly standIns: StandIns
  readonly redact: RedactText
  readonly paths: ReturnType<typeof createPathRedaction>
  readonly unknown: Set<string>
}

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
  const kind = KINDS.get(name.trim())
  if (kind === undefined) return SECRET_NAME.test(name) ? 'secret' : 'member'
  return kind === 'by-request' ? kindByRequest(name.trim(), operation) : kind
}

const DROPPED = '<dropped>'

/** Longer texts are no numbers, times or words. */
const MAX_KEPT_CHARACTERS = 64
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i
const NO_NUMBER = /^(|N\/A|null|true|false|NaN|[+-]?Inf(inity)?)$/i
/** RFC 3339, also without zone, and the date of a licence. */
const TIME = /^(\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?|\d\d\/\d\d\/\d{4})$/
/** Numbers, and the revision of the build at the end. */
const VERSION = /^\d{1,4}(\.\d{1,8}){1,6}(\.[\da-f]{4,40})?$/
const MEASUREMENT = /^(\w{1,60}?)_(IO_Statistics_data_(?:read|write))$/
/** PEM blocks are dropped in every member. */
const PEM = /-----BEGIN /

type RedactText = (text: string, kind: TextKind) => string

/** Names are kept up to this length. */
const MAX_NAME_CHARACTERS = 200

/** Replaces a text unless its member holds texts of this form. `href` is replaced as other ids. */
function createTextRedaction(standIns: StandIns, { keepsNames, isSecret }: RedactorOptions): RedactText {
  const isKeptName = (text: string, kind: TextKind) =>
    keepsNames &&
    NAME_KINDS.some((name) => name === kind) &&
    text.length <= MAX_NAME_CHARACTERS &&
    !isSecret(text)

  return (text, kind) => {
    if (kind === 'secret' || PEM.test(text)) return DROPPED
    const {
      isKept,
      prefix = kind,
      standInOf = (whole: string) => standIns.of(whole, prefix),
    } = RULES[kind] ?? {}
    const plain = text.trim()
    const isPlain = text.length <= MAX_KEPT_CHARACTERS && (plain === '' || isKept?.(plain))
    return isPlain || isKeptName(text, kind) ? text : standInOf(text, standIns)
  }
}

/** A VLAN `X.Y` keeps the name of its parent `X`. */
function interfaceOf(text: string, standIns: StandIns): string {
  if (text.length > MAX_KEPT_CHARACTERS) return standIns.of(text, 'interface')
  const partOf = (part: string) => {
    if (INTERFACE_WORDS.test(part)) return part
    return `${INTERFACE_PREFIX.exec(part)?.[0] ?? ''}${standIns.of(part, 'interface')}`
  }
  return text.split('.').map(partOf).join('.')
}

function measurementOf(text: string, standIns: StandIns): string {
  const [, service, rest] = text.length > MAX_KEPT_CHARACTERS ? [] : (MEASUREMENT.exec(text) ?? [])
  if (service === undefined) return standIns.of(text, 'measurement')
  return `${SERVICE_NAMES.has(service) ? service : standIns.of(service, 'service')}_${rest}`
}

const MAX_MESSAGE_CHARACTERS = 16_384

/** Keeps the phrases by which the exporter recognises errors. */
function messageOf(text: string, standIns: StandIns): string {
  const phrase = PHRASES.exec(text.slice(0, MAX_MESSAGE_CHARACTERS))?.[0]
  if (phrase === undefined) return standIns.of(text, 'text')
  return phrase === text ? text : `${phrase}: ${standIns.of(text, 'text')}`
}

interface Rule {
  /** Whether a text without blanks around it is kept. */
  readonly isKept?: (text: string) => boolean
  /** Prefix of stand-ins, if it is not the kind, because texts of the kind are kept. */
  readonly prefix?: string
  /** Keeps a part of the text. */
  readonly standInOf?: (text: string, standIns: StandIns) => string
}

const isMeasure = (text: string) => NUMBER.test(text) || NO_NUMBER.test(text)

const RULES: Readonly<Partial<Record<TextKind, Rule>>> = {
  measure: { isKept: isMeasure, prefix: 'text' },
  time: { isKept: (text) => isMeasure(text) || TIME.test(text), prefix: 'text' },
  version: { isKept: (text) => VERSION.test(text), prefix: 'text' },
  word: { isKept: (text) => WORDS.has(text) || ERROR_TYPE.test(text) || SHORT_WORD.test(text) },
  field: { isKept: (text) => isMeasure(text) || FIELDS.has(text) },
  measurement: { isKept: (text) => MEASUREMENT_NAMES.has(text), standInOf: measurementOf },
  id: { isKept: (text) => text === 'localzone' },
  interface: { standInOf: interfaceOf },
  message: { standInOf: messageOf },
  member: { prefix: 'text' },
}

/** What the segments after a word of a path are. They are names, even if they are words, too. */
const AFTER_WORD: Readonly<Record<string, readonly TextKind[]>> = {
  storagepools: ['id'],
  nodes: ['id'],
  replicationgroups: ['id'],
  rglinks: ['id'],
  authnproviders: ['id'],
  namespace: ['namespace'],
  bucket: ['bucket'],
  buckets: ['namespace', 'bucket'],
}

const MAX_PATH_CHARACTERS = 4096
const MAX_SEGMENTS = 20
/** Values of parameters that hold no name: times, counts, units, time frames and targets. */
const PLAIN_VALUE = /^(\d{1,12}|\{?(\d{1,5}[dw]?;?){1,20}\}?)$/
const PLAIN_PARAMETERS: ReadonlySet<string> = new Set(
  'limit dataType startTime endTime interval category cfTimeFrame cfTarget sizeunit acknowledged ping item'.split(
    ' ',
  ),
)
const NAME_PARAMETERS: Readonly<Record<string, TextKind>> = {
  namespace: 'namespace',
  marker: 'marker',
  name: 'name',
}

function createPathRedaction(redact: RedactText) {
  function path(text: string): string {
    const segments = text.split('/')
    if (text.length > MAX_PATH_CHARACTERS || segments.length > MAX_SEGMENTS) return '/'
    let kinds: readonly TextKind[] = []
    return segments
      .map((segment, index) => {
        if (segment === '') return ''
        // Also without the name of a namespace or bucket before it.
        const isInfo = segment === 'info' && index === segments.length - 1
        const isWord = isInfo || (kinds.length === 0 && PATH_WORDS.has(segment))
        const [kind = 'id', ...next] = kinds
        kinds = isWord && Object.hasOwn(AFTER_WORD, segment) ? (AFTER_WORD[segment] ?? []) : next
        return isWord ? segment : encodeURIComponent(redact(decoded(segment), kind)).replaceAll('%3A', ':')
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
        const isPlain =
          PLAIN_PARAMETERS.has(name) && (value === '' || PLAIN_VALUE.test(value) || WORDS.has(value))
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
