import type { Profile } from '../protocol/profiles.ts'
import { mix } from '../world/random.ts'

/**
 * How a number is written: JSON text, so `23000000`, `"2.3e7"` and so on.
 *
 * @param place source of the choice, where a profile has one: the same place is always written the same way
 */
export interface Notation {
  readonly value: (value: number, place: number, kind: 'whole' | 'fraction') => string
  readonly time: (t: number, place: number) => string
}

/**
 * The notations of the API document, "Snapshot and series conventions": without a decimal point, with one, in
 * exponential form; each as a number or as a string. All keep the value exactly.
 */
const DOCUMENTED = [plain, pointed, exponential]

const NOTATIONS: Record<'documented' | 'strings', Notation> = {
  documented: {
    value: (value, place) => {
      const choice = mix(place, 1)
      const text = (DOCUMENTED[choice % DOCUMENTED.length] ?? plain)(value)
      return choice & 0x1000 ? `"${text}"` : text
    },
    time: (t, place) => (mix(place, 2) & 1 ? `"${t}"` : `${t}`),
  },
  /** Real systems: everything is a string; whole numbers are Java longs, fractions Java doubles. */
  strings: {
    value: (value, _place, kind) => `"${kind === 'whole' ? plain(value) : javaDouble(value)}"`,
    time: (t) => `"${t}"`,
  },
}

export function notationOf(profile: Profile): Notation {
  return NOTATIONS[profile === 'documented' ? 'documented' : 'strings']
}

function plain(value: number): string {
  return String(value)
}

function pointed(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}

function exponential(value: number): string {
  return value.toExponential().replace('e+', 'e')
}

const SMALLEST_PLAIN_DOUBLE = 1e-3
const LARGEST_PLAIN_DOUBLE = 1e7

/** As Java's `Double.toString` writes it: `0.0`, `12.5`, `1.5434643250766666E13`, `2.0E-4`. */
export function javaDouble(value: number): string {
  const size = Math.abs(value)
  if (size === 0 || (size >= SMALLEST_PLAIN_DOUBLE && size < LARGEST_PLAIN_DOUBLE)) return pointed(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent.replace('+', '')}`
}
