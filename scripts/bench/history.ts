import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type SystemClient } from '../../src/api/client.ts'
import { parseConfig } from '../../src/config/load.ts'
import { createFileDestination } from '../../src/history/output/file_destination.ts'
import { runBackfill } from '../../src/history/run/run.ts'
import { poolSource } from '../../src/history/sources/feed_source.ts'
import { silentLog } from '../../src/log.ts'
import { temporaryFolder } from '../../test/support/folders.ts'
import { median } from './comparison/figures.ts'
import type { Served } from './emulator/emulator_process.ts'

const NODES = 8
const INTERVAL_SECONDS = 300
/** Windows of 200 points: within the default limit of a response. */
const POINTS = 200
const WINDOWS = 8
const SAMPLES = 10_000_000
const BYTES_PER_KIB = 1024
const START = 1_772_323_200
const PERIOD = { start: START, end: START + WINDOWS * POINTS * INTERVAL_SECONDS, interval: INTERVAL_SECONDS }

/** Reads, converts and writes 10 million samples; compares with parsing the same bodies and writing the same text. */
export async function measureHistory() {
  using temporary = temporaryFolder()
  const folder = temporary.path
  const child = fork(new URL('./history_server.ts', import.meta.url), [String(NODES)])
  const client = await connected(child)
  try {
    const output = join(folder, 'history.om')
    const write = () => backfill(client.client, client.pool, folder, output)
    // The first run makes the responses of the server, and the optimized code of this process.
    const samplesPerRun = await write()
    const bodies = await client.bodies()
    const text = readFileSync(output)
    const runs = Math.ceil(SAMPLES / samplesPerRun)
    const pairs: { readonly seconds: number; readonly cpuSeconds: number; readonly reference: number }[] = []
    for (let run = 0; run < runs; run += 1) {
      const own = await measured(write)
      const reference = await measured(async () => {
        for (const body of bodies) JSON.parse(body)
        writeFileSync(join(folder, 'reference.om'), text)
      })
      pairs.push({ ...own, reference: reference.cpuSeconds })
    }
    const sum = (of: (pair: (typeof pairs)[number]) => number) =>
      pairs.reduce((all, pair) => all + of(pair), 0)
    return {
      samples: runs * samplesPerRun,
      perSecond: (runs * samplesPerRun) / sum(({ seconds }) => seconds),
      perCpuSecond: (runs * samplesPerRun) / sum(({ cpuSeconds }) => cpuSeconds),
      maxResidentBytes: process.resourceUsage().maxRSS * BYTES_PER_KIB,
      ratio: median(pairs.map(({ cpuSeconds, reference }) => cpuSeconds / reference)),
    }
  } finally {
    await client.client.close()
    child.kill()
  }
}

async function measured(task: () => Promise<unknown>) {
  const [cpu, start] = [process.cpuUsage(), performance.now()]
  await task()
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 }
}

async function connected(child: ChildProcess) {
  const [{ url, pool }] = (await once(child, 'message')) as [Served]
  const text = `systems: [{name: bench, base_url: "${url}", auth: {token: emulator-monitor}}]\nlimits: {requests_per_second: 1000}\n`
  const config = parseConfig(text, { file: 'bench.yml', environment: {} })
  const [system] = config.systems
  if (system === undefined) throw new Error('the benchmark has no system')
  const nothing = () => undefined
  const observer = { exchanged: nothing, loggedIn: nothing, clockSkew: nothing, certificate: nothing }
  const { limits, poll } = system
  const client = createClient({ system, limits, timeoutMs: poll.timeoutMs, observer, log: silentLog })
  /** The responses to the requests of a run, as text. */
  const bodies = async (): Promise<string[]> => {
    const seconds = POINTS * INTERVAL_SECONDS
    const starts = Array.from({ length: WINDOWS }, (_, index) => START + index * seconds)
    return Promise.all(
      starts.map(async (start) => {
        const query = `startTime=${start - INTERVAL_SECONDS}&endTime=${start + seconds}&interval=${INTERVAL_SECONDS}`
        const path = `/dashboard/storagepools/${pool}/nodes?dataType=historical&${query}`
        return (await fetch(`${url}${path}`)).text()
      }),
    )
  }
  return { client, pool, bodies }
}

async function backfill(
  client: SystemClient,
  poolId: string,
  folder: string,
  output: string,
): Promise<number> {
  const spoolFolder = join(folder, 'spool')
  const source = poolSource({ key: poolId, system: 'bench', poolId, label: 'hot', client, points: POINTS })
  const { samples } = await runBackfill({
    settings: { period: PERIOD, sources: [poolId], refused: {}, destination: output, labels: {} },
    parts: [{ name: 'all', period: PERIOD }],
    sources: [source],
    destination: createFileDestination({ target: () => output, spoolFolder, skipEmpty: false }),
    journal: undefined,
    state: undefined,
    onProgress: () => undefined,
    notice: () => undefined,
    onRejected: () => undefined,
    signal: new AbortController().signal,
  })
  return samples
}
