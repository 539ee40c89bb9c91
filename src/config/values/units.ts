import { z } from 'zod'
import { wholeName } from '../../values/names.ts'

const MS_PER_UNIT = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
const BYTES_PER_UNIT = {
  B: 1,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
} as const

const DURATION = /^(\d+)(ms|s|m|h|d|w)$/
const SIZE = /^(\d+)\s*(B|KB|MB|GB|KiB|MiB|GiB)$/

/** `30s`, `5m`, `7d`, `4w` → milliseconds, or undefined if the text is invalid or too large for a safe integer. */
export function parseDuration(text: string): number | undefined {
  return parseQuantity(DURATION, text, MS_PER_UNIT)
}

function parseQuantity<Unit extends string>(
  pattern: RegExp,
  text: string,
  units: Readonly<Record<Unit, number>>,
): number | undefined {
  const match = pattern.exec(text.trim())
  const value = match ? Number(match[1]) * units[match[2] as Unit] : undefined
  return Number.isSafeInteger(value) ? value : undefined
}

function parsed<T>(parse: (text: string) => T | undefined, expected: string) {
  return z.string(`expected ${expected}`).transform((text, context): T => {
    const value = parse(text)
    if (value !== undefined) return value
    context.issues.push({ code: 'custom', message: `expected ${expected}`, input: text })
    return z.NEVER
  })
}

const EXPECTED_DURATION = 'a duration like 30s, 5m, 7d or 4w'
export const DURATION_EXPECTED = `expected ${EXPECTED_DURATION}`
/** A duration in the file, converted to milliseconds. */
export const duration = parsed(parseDuration, EXPECTED_DURATION)
/** As {@link duration}, but not zero. */
export const positiveDuration = duration.refine((ms) => ms > 0, 'must be more than zero')
/** A size with unit in the file, converted to bytes; not zero. */
export const size = parsed((text) => parseQuantity(SIZE, text, BYTES_PER_UNIT), 'a size like 64MiB').refine(
  (bytes) => bytes > 0,
  'must be more than zero',
)
/** A number, or text that contains one, as from an environment variable. */
export const numeric = z.preprocess(
  (value) => (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value),
  z.number('expected a number'),
)
/** A whole number from 1 to `maximum`. */
export const wholeUpTo = (maximum: number, message = `expected a whole number from 1 to ${maximum}`) =>
  numeric.refine((value) => Number.isInteger(value) && value >= 1 && value <= maximum, message)
export const percent = wholeUpTo(100, 'expected a whole percentage from 1 to 100')
export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `expected one of ${values.join(', ')}`)
/** A boolean, or the text `true` or `false`, as from an environment variable. */
export const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean('expected true or false'),
)
/** A regular expression for whole names. */
export const expression = z.string('expected a regular expression').superRefine((text, context) => {
  try {
    wholeName(text)
  } catch {
    context.addIssue({ code: 'custom', message: 'not a regular expression' })
  }
})
