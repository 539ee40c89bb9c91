import { mix } from '../model/random.ts'
import type { Profile } from '../protocol/profiles.ts'

/**
 * The notations of the API document, "Snapshot and series conventions": without a decimal point, with one, in
 * exponential form; each as a number or as a string. All preserve the exact value.
 */
const FORMS = [String, decimal, (value: number) => value.toExponential().replace('e+', 'e')]

const DOCUMENTED = {
  value: (value: number, key: number): string => {
    const choice = mix(key, 1)
    const text = (FORMS[choice % FORMS.length] ?? String)(value)
    return choice & 0x1000 ? `"${text}"` : text
  },
  time: (t: number, key: number): string => (mix(key, 2) & 1 ? `"${t}"` : `${t}`),
}
/** Real systems: all values are strings; whole numbers are Java longs, fractions Java doubles. */
const STRINGS = {
  value: (value: number, _key: number, kind: 'whole' | 'fraction'): string =>
    `"${kind === 'whole' ? value : javaDouble(value)}"`,
  time: (t: number): string => `"${t}"`,
}

/**
 * Writes numbers as JSON text, such as `23000000` or `"2.3e7"`. The key selects the notation where a profile has several:
 * the same key always gives the same one.
 */
export function notationOf(profile: Profile) {
  return profile === 'documented' ? DOCUMENTED : STRINGS
}

function decimal(value: number): string {
  return Number.isInteger(value) ? value.toFixed(1) : String(value)
}

const SMALLEST_PLAIN_DOUBLE = 1e-3
const LARGEST_PLAIN_DOUBLE = 1e7

/** The format of Java's `Double.toString`: `0.0`, `12.5`, `1.5434643250766666E13`, `2.0E-4`. */
export function javaDouble(value: number): string {
  const size = Math.abs(value)
  if (size === 0 || (size >= SMALLEST_PLAIN_DOUBLE && size < LARGEST_PLAIN_DOUBLE)) return decimal(value)
  const [digits = '', exponent = ''] = value.toExponential().split('e')
  return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent.replace('+', '')}`
}
