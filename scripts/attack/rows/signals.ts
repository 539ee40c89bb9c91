import { writeFileSync } from 'node:fs'
import { ATTACKER, flood, pause } from '../clients.ts'
import { listeningSockets, memoryMib } from '../proc.ts'
import { request } from '../requests.ts'
import type { Findings, Row, Target } from '../row.ts'

const SIGNALS = 2000
const SIGNAL_SECONDS = 8
const BATCH = 5

/** SIGHUP reloads the configuration. */
async function reloadSignals(target: Target, signal: AbortSignal): Promise<undefined> {
  for (let sent = 0; sent < SIGNALS && target.end() === undefined; sent += BATCH) {
    for (let count = 0; count < BATCH; count += 1) process.kill(target.pid, 'SIGHUP')
    await pause((SIGNAL_SECONDS * 1000 * BATCH) / SIGNALS, signal)
  }
}

/** By default, Node.js opens the port of its debugger at this signal. */
async function debuggerSignals(target: Target, signal: AbortSignal): Promise<Findings> {
  const before = listeningSockets(target.pid)
  for (let count = 0; count < BATCH && target.end() === undefined; count += 1) {
    process.kill(target.pid, 'SIGUSR1')
    await pause(500, signal)
  }
  const opened = target.end() === undefined ? listeningSockets(target.pid).length - before.length : 0
  return { problems: opened === 0 ? [] : ['the debugger of Node.js listens after SIGUSR1'] }
}

const PARALLEL = 16
/** Shorter than the time in which an attack must end. */
const TIMEOUT_MS = 3000

async function reloads({ url }: Target, signal: AbortSignal, headers: Record<string, string>) {
  const statuses = new Map<number, number>()
  const from = ATTACKER
  await flood(PARALLEL, signal, async () => {
    const options = { method: 'POST', headers, from, timeoutMs: TIMEOUT_MS }
    const { status } = await request(`${url}/-/reload`, options)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  return statuses
}

const BOMB_VALUES = 100_000
const BOMBS = 5
/** Memory may grow by that of a garbage collection that is due. */
const MAX_GROWTH_MIB = 100

/** A configuration that is refused, reloaded repeatedly; the memory must be as before. */
async function configurationBombs({ url, pid, configFile }: Target, signal: AbortSignal): Promise<Findings> {
  const before = memoryMib(pid)
  writeFileSync(configFile, `systems: [${'1,'.repeat(BOMB_VALUES)}]\n`)
  const statuses: number[] = []
  for (let count = 0; count < BOMBS; count += 1)
    statuses.push(
      (await request(`${url}/-/reload`, { method: 'POST', from: ATTACKER, timeoutMs: TIMEOUT_MS })).status,
    )
  await pause(5000, signal)
  const after = memoryMib(pid)
  return {
    note: `${statuses.join(', ')}; ${Math.round(before)} MiB before, ${Math.round(after)} MiB after`,
    problems: [
      ...(statuses.includes(200) ? ['the configuration was accepted'] : []),
      ...(after - before < MAX_GROWTH_MIB ? [] : ['the memory did not return to what it was']),
    ],
  }
}

function listed(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
}

export const SIGNALS_AND_RELOADS: readonly Row[] = [
  {
    name: 'sighup',
    sent: `${SIGNALS.toLocaleString('en')} × SIGHUP in ${SIGNAL_SECONDS} s`,
    attack: reloadSignals,
  },
  { name: 'sigusr1', sent: `${BATCH} × SIGUSR1`, seconds: 3, attack: debuggerSignals },
  {
    name: 'reloads',
    sent: `\`POST /-/reload\`, ${PARALLEL} at a time`,
    setup: { lifecycle: true },
    attack: async (target, signal) => ({ note: listed(await reloads(target, signal, {})) }),
  },
  {
    name: 'reload-bomb',
    sent: `\`POST /-/reload\` with a configuration of ${BOMB_VALUES.toLocaleString('en')} values, ${BOMBS} times`,
    setup: { lifecycle: true },
    attack: configurationBombs,
  },
  {
    name: 'reloads-foreign',
    sent: `\`POST /-/reload\` with the Origin of another site, ${PARALLEL} at a time`,
    setup: { lifecycle: true },
    async attack(target, signal) {
      const statuses = await reloads(target, signal, { Origin: 'http://attacker.example' })
      return {
        note: listed(statuses),
        problems: statuses.has(200) ? ['a reload of another site was accepted'] : [],
      }
    },
  },
]
