import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../../../config/values/units.ts'
import { parseListenAddress } from '../../../values/listen_address.ts'
import { CommandError, EXIT } from '../exit.ts'

/** A flag: its description, or also what else it has. */
type FlagRow = string | FullRow
interface FullRow {
  readonly description: string
  /** Parses the value; `before` is that of the flag before, or the default. @throws {InvalidArgumentError} */
  readonly parse?: (text: string, before: never) => unknown
  readonly choices?: readonly string[]
  /** The default. */
  readonly default?: unknown
  /** The default as --help shows it. */
  readonly defaultText?: string
}

/** Flags as commander writes them, such as `--out <dir>`, in the order of --help. */
export type FlagTable = Readonly<Record<`--${string}`, FlagRow>>

type CamelCase<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Text
type NameOf<Key> = Key extends `--${infer Long} <${string}>`
  ? CamelCase<Long>
  : Key extends `--${infer Long}`
    ? CamelCase<Long>
    : never
type ValueOf<Key, Flag> = Flag extends { parse: (...parameters: never[]) => infer Value }
  ? Value
  : Flag extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Key extends `${string} <${string}>`
      ? string
      : true
type AlwaysSet = { readonly default: unknown }

/** The values of the flags of a table, as commander passes them to an action. */
export type FlagsOf<Table> = {
  readonly [Key in keyof Table as Table[Key] extends AlwaysSet ? NameOf<Key> : never]: ValueOf<
    Key,
    Table[Key]
  >
} & {
  readonly [Key in keyof Table as Table[Key] extends AlwaysSet ? never : NameOf<Key>]?: ValueOf<
    Key,
    Table[Key]
  >
}

export function addFlags(command: Command, table: FlagTable): Command {
  for (const [flags, row] of Object.entries(table)) {
    const full: FullRow = typeof row === 'string' ? { description: row } : row
    const option = new Option(flags, full.description)
    if (full.choices !== undefined) option.choices(full.choices)
    if (full.parse !== undefined) option.argParser(full.parse as (text: string, before: unknown) => unknown)
    command.addOption(full.default === undefined ? option : option.default(full.default, full.defaultText))
  }
  return command
}

/** Checks a listen address. @throws {InvalidArgumentError} */
export function parseAddress(text: string): string {
  try {
    parseListenAddress(text)
    return text
  } catch (failure) {
    throw new InvalidArgumentError(failure instanceof Error ? failure.message : '')
  }
}

/** Refuses an empty path, such as that of a variable of a script that is not set. @throws {InvalidArgumentError} */
export function parseFilePath(text: string): string {
  if (text === '') throw new InvalidArgumentError('Expected a path.')
  return text
}

/** Parses a whole number of at least 1. @throws {InvalidArgumentError} */
export const parseCount = (text: string): number => parseWhole(text, 1)

/** Parses a whole number of at least 0. @throws {InvalidArgumentError} */
export const parseCountOrNone = (text: string): number => parseWhole(text, 0)

function parseWhole(text: string, least: number): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < least)
    throw new InvalidArgumentError(`Expected a whole number of at least ${least}.`)
  return count
}

/** An http or https URL without credentials. @throws {CommandError} usage error, without the URL */
export function parseHttpUrl(flag: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError(`${flag} must begin with http:// or https://`, EXIT.usage)
  }
  if (url.username === '' && url.password === '') return url
  const reason = 'every local user can read command lines'
  throw new CommandError(`${flag} must not contain a user or password: ${reason}`, EXIT.usage)
}

/** As {@link parseHttpUrl}, without a slash at its end, for a URL to which paths are added. */
export function parseRootUrl(flag: string, text: string): string {
  const { search, hash, href } = parseHttpUrl(flag, text)
  if (search === '' && hash === '') return href.replace(/\/+$/, '')
  throw new CommandError(`${flag} must not have a query or a fragment`, EXIT.usage)
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})([Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/

/**
 * Parses a time: RFC 3339 (or a date, in UTC), seconds since the epoch, `now`, or a time before now such as `-30d`.
 * @param nowMs milliseconds since the epoch
 * @returns seconds since the epoch, as a whole number
 * @throws {InvalidArgumentError}
 */
export function parseTime(text: string, nowMs: number): number {
  const ms = millisecondsOf(text.trim(), nowMs)
  if (ms !== undefined && ms >= 0) return Math.floor(ms / 1000)
  throw new InvalidArgumentError(
    'Expected a time such as 2026-03-11T12:00:00Z, seconds since the epoch, now, or -30d for 30 days ago.',
  )
}

function millisecondsOf(text: string, nowMs: number): number | undefined {
  if (text === 'now') return nowMs
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Number(text) * 1000
  if (text.startsWith('-')) {
    const before = parseDuration(text.slice(1))
    return before === undefined ? undefined : nowMs - before
  }
  const [, day] = RFC_3339.exec(text) ?? []
  const ms = Date.parse(text.replace(' ', 'T').toUpperCase())
  return day === undefined || Number.isNaN(ms) || !isDay(day) ? undefined : ms
}

/** Whether a day is in the calendar: `Date` takes 2026-02-30 for 2 March. */
function isDay(text: string): boolean {
  return new Date(text).toISOString().startsWith(text)
}

/** Parses a duration of whole seconds, such as `5m`. @throws {InvalidArgumentError} */
export function parseSeconds(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms >= 1000 && ms % 1000 === 0) return ms / 1000
  throw new InvalidArgumentError('Expected a duration of whole seconds, such as 5m or 1h.')
}
