import { type Kind, NAME_KINDS } from './kinds.ts'
import type { StandIns } from './stand_ins.ts'
import {
  ERROR_TYPE,
  FIELDS,
  INTERFACE_PREFIX,
  INTERFACE_WORDS,
  MEASUREMENT_NAMES,
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

export type RedactText = (text: string, kind: Kind) => string

export interface TextOptions {
  readonly keepsNames: boolean
  /** What is not even kept in names: secrets, hosts and users of the configuration. */
  readonly isSecret: (text: string) => boolean
}

/** Names are kept up to this length. */
const MAX_NAME_CHARACTERS = 200

/** Replaces a text unless its member holds texts of this form. `href` is replaced as other ids. */
export function createTextRedaction(standIns: StandIns, { keepsNames, isSecret }: TextOptions): RedactText {
  const isKeptName = (text: string, kind: Kind) =>
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

const RULES: Readonly<Partial<Record<Kind, Rule>>> = {
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
