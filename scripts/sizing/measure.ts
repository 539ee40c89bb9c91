import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../test/support/folders.ts'
import { type Child, startProcess } from '../../test/support/processes.ts'

/** The size of the emulated systems: pools of equal size. */
export interface Fleet {
  /** Undefined: one. */
  readonly systems?: number
  readonly pools: number
  readonly nodesPerPool: number
  /** Of the first system, all of them exported; undefined: the few of the emulator. */
  readonly namespaces?: number
}

/** The resources of one exporter for a fleet. */
export interface Figures extends Fleet {
  readonly series: number
  readonly expositionBytes: number
  readonly compressedBytes: number
  readonly residentBytes: number
  readonly cpuSecondsPerPoll: number
}

/** Faster than the default schedule, so that half a minute gives an average of several polls. */
const ONE_SYSTEM = { schedule: '*/3 * * * * *', measuredSeconds: 30, warmUpSeconds: 10 }
const SEVERAL_SYSTEMS = { schedule: '*/30 * * * * *', measuredSeconds: 90, warmUpSeconds: 45 }

/** Runs emulated systems and an exporter as separate processes, and reads the metrics of the exporter. */
export async function measure(fleet: Fleet): Promise<Figures> {
  using folder = temporaryFolder()
  await using children = new AsyncDisposableStack()
  const urls: string[] = []
  for (let index = 0; index < (fleet.systems ?? 1); index += 1) {
    const emulator = children.use(await start(emulatorFlags(fleet, index)))
    urls.push(await readUrl(emulator, /system: (http:\S+)/))
  }
  const file = folder.write('sds-exporter.yml', configFor(urls, timesOf(fleet).schedule))
  const exporter = children.use(
    await start([
      'serve',
      `--config.file=${file}`,
      '--web.listen-address=127.0.0.1:0',
      '--admin.listen-address=',
    ]),
  )
  return { ...fleet, ...(await figuresOf(fleet, await readUrl(exporter, /msg=listening.* url=(\S+)/))) }
}

function timesOf({ systems = 1 }: Fleet) {
  return systems === 1 ? ONE_SYSTEM : SEVERAL_SYSTEMS
}

function emulatorFlags({ pools, nodesPerPool, namespaces }: Fleet, index: number): string[] {
  const ofNamespaces = index > 0 || namespaces === undefined ? [] : [`--namespaces=${namespaces}`]
  const size = [`--pools=${pools}`, `--nodes=${nodesPerPool}`]
  return ['emulate', '--listen-address=127.0.0.1:0', `--seed=${index}`, ...size, ...ofNamespaces]
}

async function figuresOf(fleet: Fleet, url: string): Promise<Omit<Figures, keyof Fleet>> {
  const { warmUpSeconds, measuredSeconds } = timesOf(fleet)
  await sleep(warmUpSeconds * 1000)
  await quotasRead(url, fleet.namespaces ?? 0)
  const before = await scrape(url)
  await sleep(measuredSeconds * 1000)
  const after = await scrape(url)
  const growth = (name: string) => total(after.exposition, name) - total(before.exposition, name)
  const polls = growth('sds_pool_polls_total') / count(after.exposition, 'sds_pool_up')
  return {
    series: total(after.exposition, 'sds_exporter_series'),
    expositionBytes: Buffer.byteLength(after.exposition),
    compressedBytes: after.compressedBytes,
    residentBytes: total(after.exposition, 'process_resident_memory_bytes'),
    cpuSecondsPerPoll: growth('process_cpu_seconds_total') / polls,
  }
}

/** Resolves when the usage and the quotas of this number of namespaces are exported; about half have a quota. */
async function quotasRead(url: string, namespaces: number): Promise<void> {
  for (;;) {
    const { exposition } = await scrape(url)
    const used = count(exposition, 'sds_namespace_used_bytes')
    if (used >= namespaces && count(exposition, 'sds_namespace_quota_bytes') >= namespaces / 2) return
    await sleep(1000)
  }
}

async function scrape(url: string): Promise<{ exposition: string; compressedBytes: number }> {
  const compressed = await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'gzip' } })
  const compressedBytes = Number(compressed.headers.get('content-length'))
  return { exposition: await compressed.text(), compressedBytes }
}

function samples(exposition: string, name: string): number[] {
  const lines = exposition
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)))
  return lines.map((line) => Number(line.slice(line.lastIndexOf(' '))))
}

function total(exposition: string, name: string): number {
  return samples(exposition, name).reduce((sum, value) => sum + value, 0)
}

function count(exposition: string, name: string): number {
  return samples(exposition, name).length
}

function configFor(urls: readonly string[], schedule: string): string {
  const auth = 'auth: {username: monitor, password: emulator}'
  const systems = urls.map((url, index) => `  - {name: "sizing-${index}", base_url: "${url}", ${auth}}`)
  return `systems:
${systems.join('\n')}
poll: {schedule: "${schedule}", max_random_delay: 0s}
resources: {namespaces: {schedule: "*/30 * * * * *", max: 5000}}
limits: {requests_per_second: 1000}
`
}

function start(args: readonly string[]): Promise<Child> {
  return startProcess(process.execPath, ['dist/main.js', ...args])
}

/** The first group of the first match in the output of the process. */
async function readUrl(child: Child, pattern: RegExp): Promise<string> {
  const [, url = ''] = await child.waitForOutput(pattern)
  return url
}
