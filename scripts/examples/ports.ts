import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Free ports for the ports that the documentation names. They have as many digits, because the widths of columns depend
 * on it.
 */
export type Ports = ReadonlyMap<number, number>

const MAX_PORT = 65_535
const MIN_PORT = 1024
const MAX_TRIES = 100

/** Ports in succession get ports in succession. @throws if no ports are free */
export async function freePorts(shown: readonly number[]): Promise<Ports> {
  const ports = new Map<number, number>()
  for (const run of runsOf(shown)) {
    const first = await freeRun(run, [...ports.values()])
    for (const [index, port] of run.entries()) ports.set(port, first + index)
  }
  return ports
}

function runsOf(ports: readonly number[]): number[][] {
  const runs: number[][] = []
  for (const port of ports) {
    const last = runs.at(-1)
    if (last?.at(-1) === port - 1) last.push(port)
    else runs.push([port])
  }
  return runs
}

/** The first of as many free ports in succession. */
async function freeRun(shown: readonly number[], taken: readonly number[]): Promise<number> {
  const digits = String(shown[0]).length
  const least = Math.max(MIN_PORT, 10 ** (digits - 1))
  const most = Math.min(MAX_PORT, 10 ** digits - 1) - shown.length
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const first = least + Math.floor(Math.random() * (most - least))
    const ports = shown.map((_, index) => first + index)
    const free = await Promise.all(ports.map((port) => !taken.includes(port) && isFree(port)))
    if (free.every(Boolean)) return first
  }
  throw new Error(`no ports with ${digits} digits are free`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  server.listen(port)
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

/** Where a port stands in a text: after an address of this machine, or in a flag. */
const ADDRESS = /(?<=(?:127\.0\.0\.1|localhost|-address=):)\d+/g

/** A text of the documentation, with the ports of the run. */
export function withRealPorts(text: string, ports: Ports): string {
  return text.replaceAll(ADDRESS, (port) => String(ports.get(Number(port)) ?? port))
}

/** A text of the run, with the ports of the documentation. */
export function withShownPorts(text: string, ports: Ports): string {
  return withRealPorts(text, new Map([...ports].map(([shown, real]) => [real, shown])))
}
