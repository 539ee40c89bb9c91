import { vi } from 'vitest'
import type { Fault } from '../../../grafana/mixin/rules/faults.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { silentLog } from '../../../src/log.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'
import { createPoller } from '../../../src/readings/poller.ts'
import { createStateStore } from '../../../src/state/store.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { createEmulator, type Emulator } from '../../support/programs/emulator.ts'

/** Times of a played fault, in minutes since its first poll. Each fault begins after the first polls. */
export const POLL_MINUTES = 5
export const BEGIN = 10
/** Then every alert that waits for at most 70 minutes fires. */
export const HEALED = 90
export const END = 165

/** A Thursday. */
const START_MS = Date.UTC(2026, 0, 8, 12)
const MINUTE_MS = 60_000
/** Shorter than any timeout of a request. */
const LONGEST_JUMP_MS = 10_000
/** How much the clock moves in a turn of the event loop while requests are under way: a timeout is 6,000 turns. */
const TURN_MS = 20

/** The samples of each poll by series, as in the text format; undefined where the series was absent. */
export type Played = ReadonlyMap<string, readonly (number | undefined)[]>

const turn = globalThis.setTimeout

/** One real turn of the event loop, for sockets, which no fake clock moves. */
const nextTurn = () => new Promise<void>((resolve) => turn(resolve, 1))

/**
 * Polls an emulated system before, during and after each fault, in the time of a fake clock. The systems and their
 * exporters share the clock, which jumps from poll to poll and runs only while an exchange is under way.
 */
export async function playFaults(faults: readonly Fault[]): Promise<ReadonlyMap<Fault, Played>> {
  using folder = temporaryFolder()
  const toFake = [
    ...(['Date', 'performance', 'setTimeout', 'clearTimeout'] as const),
    ...(['setInterval', 'clearInterval'] as const),
  ]
  vi.useFakeTimers({ now: START_MS, toFake })
  const players = await Promise.all(faults.map((fault) => createPlayer(fault, folder)))
  try {
    for (const player of players) await player.start()
    for (let minute = 0; minute < END; minute += POLL_MINUTES) {
      await settle(players)
      for (const player of players) await player.collect()
      if (minute === BEGIN) await Promise.all(players.map(({ begin }) => begin()))
      if (minute === HEALED) await Promise.all(players.map(({ heal }) => heal()))
      await settle(players)
      await jump(players, START_MS + (minute + POLL_MINUTES) * MINUTE_MS)
    }
    return new Map(players.map(({ fault, played }) => [fault, played]))
  } finally {
    const stopped = Promise.all(players.map(({ stop }) => stop()))
    await settle(players)
    vi.useRealTimers()
    await stopped
  }
}

type Player = Awaited<ReturnType<typeof createPlayer>>

/** Waits until no operation runs, and the exposition shows the newest values. A pause before a retry ends by the fake clock. */
async function settle(players: readonly Player[]): Promise<void> {
  let idle = 0
  while (idle < 5) {
    await vi.advanceTimersByTimeAsync(TURN_MS)
    await nextTurn()
    idle = players.some(({ isBusy }) => isBusy()) ? 0 : idle + 1
  }
}

/** Moves the clock to a time. Requests that begin before it are awaited where they begin. */
async function jump(players: readonly Player[], time: number): Promise<void> {
  while (Date.now() < time) {
    await vi.advanceTimersByTimeAsync(Math.min(LONGEST_JUMP_MS, time - Date.now()))
    if (Date.now() < time && players.some(({ isBusy }) => isBusy())) await settle(players)
  }
}

const IDLE = { running: 0, waiting: 0 }

async function createPlayer(fault: Fault, folder: Folder) {
  const { faults = [], ...options } = fault.emulator
  // The lock after ten refused logins is left out: the password is right again when the fault ends.
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', clock: Date.now, ...options })
  await emulator.start()
  const setPassword = (password: string) => folder.write(`${fault.name}.password`, password)
  const passwordFile = setPassword(fault.auth === 'wrong password' ? 'wrong' : 'emulator')
  const store = createStateStore()
  const own = createOwnMetrics({ version: 'test', nodeVersion: process.version })
  const poller = createPoller({ store, own, log: silentLog })
  const use = (isRemoved: boolean) => {
    const text = configOf(fault, emulator, passwordFile, isRemoved)
    return poller.use(parseConfig(text, { file: 'fault.yml', environment: {} }))
  }
  const played = new Map<string, (number | undefined)[]>()
  let polls = 0
  return {
    fault,
    played,
    start: () => use(false),
    isBusy: () => {
      const { running, waiting } = poller.status(fault.name)?.client.operations ?? IDLE
      const isShown = store.systems().every((state) => store.shownSystem(state.name) === state)
      return running + waiting > 0 || !isShown
    },
    async collect() {
      const text = `${store.exposition().text('text')}${await own.render('text')}`
      collect(played, polls, text)
      polls++
    },
    async begin() {
      emulator.setFaults(faults)
      if (fault.removed !== undefined) await use(true)
    },
    async heal() {
      emulator.setFaults([])
      emulator.setScenario('healthy', Number.NEGATIVE_INFINITY)
      setPassword('emulator')
      if (fault.removed !== undefined) await use(false)
    },
    async stop() {
      await poller.stop()
      await emulator.stop()
    },
  }
}

/** A configuration needs a system, so one that is removed is polled under another name. */
function configOf(
  { name, auth, removed }: Fault,
  { url, pools }: Emulator,
  passwordFile: string,
  isRemoved: boolean,
): string {
  const login =
    auth === 'token' ? 'token: emulator-monitor' : `username: monitor, password_file: "${passwordFile}"`
  const shown = isRemoved && removed === 'system' ? `${name}-renamed` : name
  const only = isRemoved && removed === 'pool' ? `, pools: [{id: "${pools[0]?.id}"}]` : ''
  return `
systems:
  - {name: ${shown}, base_url: "${url}", auth: {${login}}${only}}
poll: {schedule: "0 */${POLL_MINUTES} * * * *", max_random_delay: 0s, timeout: 2m, stale_after: 15m}
limits: {requests_per_second: 1000}
`
}

const SAMPLE = /^(sds_\S+?(?:\{.*\})?) (\S+)$/gm

function collect(played: Map<string, (number | undefined)[]>, poll: number, text: string): void {
  for (const [, series = '', value] of text.matchAll(SAMPLE)) {
    const values = played.get(series) ?? []
    values[poll] = series.includes('_timestamp_seconds{') ? Number(value) - START_MS / 1000 : Number(value)
    played.set(series, values)
  }
}
