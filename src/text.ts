import { SECONDS_PER_DAY } from './time_units.ts'

/** The value of a JSON text; undefined for any other text. The message of the parser would quote the text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `1 node`, `5 nodes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The first items of a list: `a, b and 3 more`. */
export function namesText<T>(list: readonly T[], text: (one: T) => string, most = 5): string {
  const more = list.length - most
  return `${list.slice(0, most).map(text).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const DURATION_UNITS = [[SECONDS_PER_DAY, 'd'] as const, [3600, 'h'] as const, [60, 'm'] as const]
/** A larger unit is used only from this count on, because durations are rounded down. */
const MIN_COUNT = 2

/** A duration in whole units, rounded down: `42s`, `5m`, `3h`, `55d`. */
export function durationText(seconds: number): string {
  const size = Math.abs(seconds)
  const [length, unit] = DURATION_UNITS.find(([length]) => size >= MIN_COUNT * length) ?? [1, 's']
  return `${seconds < 0 ? '-' : ''}${Math.floor(size / length)}${unit}`
}

/** `90 % full in 18 days`, `over 90 %`. @param seconds until the target is reached; 0: it is */
export function forecastText(seconds: number, targetPercent: number): string {
  if (seconds === 0) return `over ${targetPercent}%`
  const days = Math.floor(seconds / SECONDS_PER_DAY)
  return `${targetPercent}% full in ${days === 0 ? durationText(seconds) : counted(days, 'day')}`
}

/** Of less than a minute: `609 ms`, `1.2 s`. */
export function latencyText(seconds: number): string {
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`
}

interface ByteUnits {
  readonly step: number
  readonly names: readonly string[]
}

const DECIMAL: ByteUnits = { step: 1000, names: ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] }
const BINARY: ByteUnits = { step: 1024, names: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'] }

/** Bytes in decimal units: `90.6 MB`. Of files and rates. */
export function bytesText(bytes: number): string {
  return scaledBytes(bytes, DECIMAL)
}

/** Bytes of a storage system in binary units, as on the dashboards and in the alerts: `82.4 TiB`. */
export function storageText(bytes: number): string {
  return scaledBytes(bytes, BINARY)
}

function scaledBytes(bytes: number, { step, names }: ByteUnits): string {
  const power = Math.min(Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(step)), names.length - 1)
  const text = (bytes / step ** power).toFixed(power === 0 ? 0 : 1)
  const isRoundedUp = Number(text) >= step && power < names.length - 1
  return isRoundedUp ? `1.0 ${names[power + 1]}` : `${text} ${names[power]}`
}

/** A ratio as a percentage with one digit: `45.2%`. */
export function percentText(ratio: number): string {
  return `${(ratio * 100).toFixed(1)}%`
}

const COUNT_UNITS = ['', 'K', 'M', 'B', 'T'] as const

/** A number with at most one digit behind the point: `950`, `1.2K`. Not with Intl, which takes 6 MiB of memory. */
export function countText(count: number): string {
  let scaled = count
  let power = 0
  while (Number(scaled.toFixed(1)) >= 1000 && power < COUNT_UNITS.length - 1) {
    scaled /= 1000
    power += 1
  }
  return `${Number(scaled.toFixed(1))}${COUNT_UNITS[power]}`
}

/**
 * A class of a regular expression with the flag `u`: characters that are invisible, or change how other text is shown.
 * Control characters (C0, DEL, C1), format characters such as bidirectional overrides, other characters that renderers
 * ignore, line and paragraph separators, and surrogates without their other half.
 */
export const INVISIBLE = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}'

const INVISIBLE_CHARACTER = new RegExp(`[${INVISIBLE}]`, 'gu')

/** The text with each invisible character as `\uXXXX`, in UTF-16 code units as in JSON. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE_CHARACTER, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** The same for text of several lines. JSON keeps its value. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visibleText).join('\n')
}

/** The beginning of a text, for a log line or a label. */
export function shortened(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : copied(text.slice(0, maxCharacters)).toWellFormed()
}

/** A slice of a string keeps the whole string in memory, which may be as long as the response; a copy does not. */
export function copied(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}
