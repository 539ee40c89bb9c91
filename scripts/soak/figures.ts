import { readdirSync, readFileSync } from 'node:fs'

/** What one look at the exporter tells. */
export interface Figures {
  /** Since the start of the run. */
  readonly minutes: number
  readonly rssMb: number
  /** The least of the last minute. */
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

/** V8's heap in use, as the exporter itself tells it. */
export function heapMb(exposition: string): number {
  return Number(/^nodejs_heap_size_used_bytes (\S+)$/m.exec(exposition)?.[1]) / BYTES_PER_MB
}

/** What a figure gains in an hour, by the line that fits best. */
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
