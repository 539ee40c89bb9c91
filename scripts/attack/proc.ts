import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const KIB_PER_MIB = 1024
const BYTES_PER_MIB = 1024 ** 2

/** Resets the peak that {@link peakMemoryMib} reads. */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Highest resident memory since the reset. @throws if the process ended */
export function peakMemoryMib(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  // A process that ended keeps its other lines until its parent reads the exit code.
  if (kib === undefined) throw new Error(`process ${pid} ended`)
  return Number(kib) / KIB_PER_MIB
}

/** Number of open file descriptors. @throws if the process ended */
export function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

const LISTEN = '0A'

/**
 * Data in the buffers of the connections to these local ports, also of connections that the process closed. It is not part
 * of the resident memory, but the limit of a control group includes it.
 */
export function queuedMib(ports: readonly number[]): number {
  const suffixes = ports.map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`)
  const rows = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1),
  )
  const bytes = rows
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, local = '', , state]) => state !== LISTEN && suffixes.some((suffix) => local.endsWith(suffix)),
    )
    .flatMap(([, , , , queues = '']) => queues.split(':').map((hex) => Number.parseInt(hex, 16)))
  return bytes.reduce((sum, value) => sum + value, 0) / BYTES_PER_MIB
}
