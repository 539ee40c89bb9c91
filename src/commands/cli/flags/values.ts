import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../../../config/values/units.ts'
import { parseListenAddress } from '../../../values/listen_address.ts'
import { EXIT, Failed } from '../exit.ts'

/** Checks a listen address. @throws {InvalidArgumentError} */
export function parseAddress(text: string): string {
  try {
    parseListenAddress(text)
    return text
  } catch (failure) {
    throw new InvalidArgumentError(failure instanceof Error ? failure.message : '')
  }
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

/**
 * Parses an http or https URL without credentials.
 * @throws {Failed} usage error; the message does not contain the URL
 */
export function parseHttpUrl(flag: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Failed(`${flag} must begin with http:// or https://`, EXIT.usage)
  }
  if (url.username === '' && url.password === '') return url
  const reason = 'every local user can read command lines'
  throw new Failed(`${flag} must not contain a user or password: ${reason}`, EXIT.usage)
}

/**
 * Parses an http or https URL to which paths are added. It has no slash at its end.
 * @throws {Failed} usage error, as {@link parseHttpUrl}
 */
export function parseRootUrl(flag: string, text: string): string {
  const { search, hash, href } = parseHttpUrl(flag, text)
  if (search === '' && hash === '') return href.replace(/\/+$/, '')
  throw new Failed(`${flag} must not have a query or a fragment`, EXIT.usage)
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
