import { NAME_KINDS, type TextKind } from './kinds.ts'
import type { StandIns } from './stand_ins.ts'
import {
  ERROR_TYPE,
  FIELDS,
  INTERFACE_PREFIX,
  INTERFACE_WORDS,
  MEASUREMENT_NAMES,
  PATH_WORDS,
  PHRASES,
  SERVICE_NAMES,
  SHORT_WORD,
  WORDS,
} from './words.ts'

export const DROPPED = '<dropped>'

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

export interface TextOptions {
  readonly keepsNames: boolean
  /** What is not even kept in names: secrets, hosts and users of the configuration. */
  readonly isSecret: (text: string) => boolean
}

/** Names are kept up to this length. */
const MAX_NAME_CHARACTERS = 200

/** Replaces a text unless its member holds texts of this form. `href` is replaced as other ids. */
export function createTextRedaction(standIns: StandIns, { keepsNames, isSecret }: TextOptions): RedactText {
  const isKeptName = (text: string, kind: TextKind) =>
    keepsNames &&
    (NAME_KINDS.some((name) => name === kind) || kind === 'interface') &&
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

export function createPathRedaction(redact: RedactText) {
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
        return isWord ? segment : encoded(redact(decoded(segment), kind))
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

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':')
}
