import { counted } from '../../src/counted.ts'

/** A subset of Grafana's units, without its exact rounding. */

const IEC = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB']
const SI = ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s', 'PB/s']
const COUNTS = ['', ' K', ' Mil', ' Bil']

const DURATIONS: readonly (readonly [name: string, seconds: number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

const digits = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)

const plain = (value: number, decimals = digits(value)): string =>
  Number.isInteger(value) && decimals === digits(value) ? String(value) : value.toFixed(decimals)

const scaled = (value: number, base: number, names: readonly string[], decimals?: number): string => {
  const size = Math.abs(value)
  const exponent = size < base ? 0 : Math.min(names.length - 1, Math.floor(Math.log(size) / Math.log(base)))
  const number = value / base ** exponent
  return `${plain(number, decimals)}${names[exponent]?.startsWith(' ') ? '' : ' '}${names[exponent]}`.trim()
}

const seconds = (value: number, decimals?: number): string => {
  const size = Math.abs(value)
  if (size === 0) return '0 s'
  if (size < 0.001) return `${plain(value * 1e6, decimals)} µs`
  if (size < 1) return `${plain(value * 1000, decimals)} ms`
  if (size < 60) return `${plain(value, decimals)} s`
  if (size < 3600) return `${plain(value / 60, 1)} min`
  return size < 86_400 ? `${plain(value / 3600, 1)} hours` : `${plain(value / 86_400, 1)} days`
}

/** The two largest units of a duration, such as "4 weeks, 2 days". */
const duration = (value: number): string => {
  const parts: string[] = []
  let rest = Math.abs(value)
  for (const [name, size] of DURATIONS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0 && parts.length < 2) parts.push(counted(count, name))
  }
  return `${value < 0 ? '-' : ''}${parts.join(', ') || '0 seconds'}`
}

type Format = (value: number, decimals?: number) => string

const FORMATS: Readonly<Record<string, Format>> = {
  bytes: (value, decimals) => scaled(value, 1024, IEC, decimals),
  Bps: (value, decimals) => scaled(value, 1000, SI, decimals),
  s: seconds,
  percentunit: (value, decimals = 1) => `${(value * 100).toFixed(decimals)}%`,
  reqps: (value, decimals) => `${scaled(value, 1000, COUNTS, decimals)} req/s`,
  ops: (value, decimals) => `${scaled(value, 1000, COUNTS, decimals)} ops/s`,
  dtdurations: duration,
  h: (value, decimals) => `${plain(value, decimals)} hours`,
}

export const format = (value: number, unit = 'none', decimals?: number): string =>
  Number.isNaN(value) ? 'NaN' : (FORMATS[unit] ?? plain)(value, decimals)
