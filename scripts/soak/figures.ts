import { readdirSync, readFileSync } from 'node:fs'

/** One measurement of the exporter. */
export interface Figures {
  /** Since the start of the run. */
  readonly minutes: number
  readonly rssMb: number
  /** Minimum since the measurement before. */
  readonly heapMb: number
  readonly descriptors: number
}

const BYTES_PER_MB = 1_000_000
const BYTES_PER_KB = 1024

/** Resident memory and open descriptors of a process, from /proc. */
export function processFigures(pid: number): Pick<Figures, 'rssMb' | 'descriptors'> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const rssKb = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
  return {
    rssMb: (rssKb * BYTES_PER_KB) / BYTES_PER_MB,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** V8's used heap, from the exposition of the exporter. */
export function heapMb(exposition: string): number {
  return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(exposition)?.[1]) / BYTES_PER_MB
}

/** Slope per hour of the least-squares line. */
export function slopePerHour(list: readonly Figures[], of: (figures: Figures) => number): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const meanMinutes = mean(list.map(({ minutes }) => minutes))
  const meanValue = mean(list.map(of))
  const spread = list.reduce((sum, { minutes }) => sum + (minutes - meanMinutes) ** 2, 0)
  const rise = list.reduce(
    (sum, figures) => sum + (figures.minutes - meanMinutes) * (of(figures) - meanValue),
    0,
  )
  return spread === 0 ? 0 : (rise / spread) * 60
}
