import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'

const KIB_PER_MIB = 1024
const BYTES_PER_KIB = 1024
/** USER_HZ of Linux. */
const TICKS_PER_SECOND = 100

/** Resets the peak that {@link peakMemoryMib} reads. */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Highest resident memory since the reset. @throws if the process ended */
export function peakMemoryMib(pid: number): number {
  return statusMib(pid, /^VmHWM:\s+(\d+) kB$/m)
}

/** Resident memory. @throws if the process ended */
export function memoryMib(pid: number): number {
  return statusMib(pid, /^VmRSS:\s+(\d+) kB$/m)
}

function statusMib(pid: number, line: RegExp): number {
  const kib = line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  // A process that ended keeps its other lines until its parent reads the exit code.
  if (kib === undefined) throw new Error(`process ${pid} ended`)
  return Number(kib) / KIB_PER_MIB
}

/** CPU time of all threads in user and kernel mode. @throws if the process ended */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name of the program in parentheses and may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const LISTEN = '0A'

/** Local addresses of the TCP sockets on which the process listens, hexadecimal as in /proc/net/tcp, sorted. */
export function listeningSockets(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).map((name) => /^socket:\[(\d+)\]$/.exec(linkOf(pid, name))?.[1]),
  )
  return tcpRows()
    .filter(([, , , state, , , , , , inode]) => state === LISTEN && inodes.has(inode))
    .map(([, local = '']) => local)
    .sort()
}

/**
 * Bytes that wait in the buffers of the connections to these local ports, also of connections that the process closed.
 * They are not part of the resident memory, but the limit of a control group includes them.
 */
export function queuedMib(ports: readonly number[]): number {
  const suffixes = ports.map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`)
  const bytes = tcpRows()
    .filter(
      ([, local = '', , state]) => state !== LISTEN && suffixes.some((suffix) => local.endsWith(suffix)),
    )
    .flatMap(([, , , , queues = '']) => queues.split(':').map((hex) => Number.parseInt(hex, 16)))
  return bytes.reduce((sum, value) => sum + value, 0) / (KIB_PER_MIB * BYTES_PER_KIB)
}

/** The columns of /proc/net/tcp and tcp6. */
function tcpRows(): string[][] {
  return ['tcp', 'tcp6'].flatMap((table) => {
    const lines = readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1)
    return lines.map((line) => line.trim().split(/\s+/))
  })
}

/** Empty for a descriptor that was closed meanwhile. */
function linkOf(pid: number, name: string): string {
  try {
    return readlinkSync(`/proc/${pid}/fd/${name}`)
  } catch {
    return ''
  }
}
