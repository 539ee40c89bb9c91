/**
 * Random numbers without a generator: each number is a hash of what it belongs to. The same seed gives the same
 * values, in any order of requests, and nothing is stored.
 */

const GOLDEN = 0x9e3779b1
const TWO_POW_32 = 2 ** 32

/** A 32-bit key of a text (FNV-1a). */
export function keyOf(text: string): number {
  let key = 0x811c9dc5
  for (let index = 0; index < text.length; index++) key = Math.imul(key ^ text.charCodeAt(index), 0x01000193)
  return mix(key, text.length)
}

/** A new 32-bit key of a key and a whole number: the finalizer of MurmurHash3 over both. */
export function mix(key: number, value: number): number {
  let hash = (key + Math.imul(value, GOLDEN)) | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A number in [0, 1). */
export function unit(key: number, value: number): number {
  return mix(key, value) / TWO_POW_32
}

/** White noise in [-1, 1): an independent number every second. */
export function whiteNoise(key: number, t: number): number {
  return 2 * unit(key, t) - 1
}

/** Smooth noise in [-1, 1]: one random value every `period` seconds, interpolated in between. */
export function smoothNoise(key: number, t: number, period: number): number {
  const cell = Math.floor(t / period)
  const within = t / period - cell
  const ease = within * within * (3 - 2 * within)
  return whiteNoise(key, cell) * (1 - ease) + whiteNoise(key, cell + 1) * ease
}

/** A UUID in the format of version 4 that depends only on the key. */
export function uuidOf(key: number): string {
  const hex = [0, 1, 2, 3].map((word) => mix(key, word).toString(16).padStart(8, '0')).join('')
  const variant = '89ab'.charAt(mix(key, 4) % 4)
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`)
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
