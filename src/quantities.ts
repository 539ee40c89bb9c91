const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'] as const
const BYTES_STEP = 1000

/** Bytes in decimal units: `90.6 TB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(
    Math.floor(Math.log10(Math.max(bytes, 1)) / Math.log10(BYTES_STEP)),
    BYTE_UNITS.length - 1,
  )
  const digits = power === 0 ? 0 : 1
  const text = (bytes / BYTES_STEP ** power).toFixed(digits)
  const isRoundedUp = Number(text) >= BYTES_STEP && power < BYTE_UNITS.length - 1
  return isRoundedUp ? `1.0 ${BYTE_UNITS[power + 1]}` : `${text} ${BYTE_UNITS[power]}`
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
