import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { errorText } from '../../src/values/errors.ts'
import { temporaryFolder } from '../../test/support/folders.ts'
import { get } from '../../test/support/http.ts'
import { median } from './comparison/figures.ts'
import { READY_BYTES, REFERENCES, type Served } from './comparison/references.ts'
import type { ScrapeJob } from './comparison/scraper.ts'
import {
  cpuSeconds,
  demoStartSeconds,
  type Exporter,
  residentBytes,
  type StartFigures,
  stop,
  withExporter,
} from './polls/exporter.ts'
import { count, mebibytes, milliseconds, type Row, ratio, seconds } from './table.ts'

/** A fleet that is polled once. */
interface Size {
  readonly pools: number
  readonly nodesPerPool: number
  readonly startGoalSeconds?: number
}

const SIZES: readonly Size[] = [
  { pools: 1, nodesPerPool: 16 },
  { pools: 10, nodesPerPool: 64 },
  { pools: 160, nodesPerPool: 63, startGoalSeconds: 1.5 },
]
/** A scrape of the largest exposition over eight connections takes half a second: in less time, each is one scrape. */
const JOB_MS = 1000
/** So that the JIT compiler of Node.js has optimized the code: some thousand scrapes of 640 nodes. */
const WARM_UP_MS = 10_000
/** Pairs with each server, and with the one to which the goals refer. */
const ROUNDS = 3
const ROUNDS_WITH_GOAL = 9
const SCRAPES_FOR_MEMORY = 10_000
const ENCODINGS = { identity: '1.2', gzip: '1.5' } as const

interface Target {
  readonly name: string
  readonly pid: number
  readonly url: string
  readonly compresses: boolean
}

interface Cost {
  readonly cpuMs: number
  readonly wallMs: number
}

/** Parts a, c and d: scrapes beside other servers, memory, and the time of a start. */
export async function measureScrapes(): Promise<Row[]> {
  const rows: Row[] = [await demoRow()]
  for (const size of SIZES) rows.push(...(await measureSize(size)))
  return rows
}

const DEMO_STARTS = 5

async function demoRow(): Promise<Row> {
  const starts: number[] = []
  while (starts.length < DEMO_STARTS) starts.push(await demoStartSeconds())
  const what = 'start of `demo` to the end of the first complete scrape'
  return { part: 'd', what, own: `${seconds(median(starts))} wall`, goal: { most: 0.5, unit: 's' } }
}

/**
 * Half an hour from now, when the measurement has ended. As with the default schedule, no hour is given: node-cron would
 * format times of such a schedule, which takes 7 MiB.
 */
function notSoon(): string {
  return `0 ${(new Date().getMinutes() + 30) % 60} * * * *`
}

type Run = (job: ScrapeJob) => Promise<number[]>

async function measureSize(size: Size): Promise<Row[]> {
  using folder = temporaryFolder()
  const worker = new Worker(new URL('./comparison/scraper.ts', import.meta.url))
  const run = async (job: ScrapeJob): Promise<number[]> => {
    worker.postMessage(job)
    const [durations] = (await once(worker, 'message')) as [number[]]
    return durations
  }
  try {
    const fleet = { ...size, schedule: notSoon() }
    return await withExporter(fleet, (exporter) => rowsOfSize(run, exporter, size, folder.path))
  } finally {
    await worker.terminate()
  }
}

async function rowsOfSize(
  run: Run,
  exporter: Exporter & StartFigures,
  size: Size,
  folder: string,
): Promise<Row[]> {
  const served = await save(folder, exporter.url)
  const own = { ...exporter, name: 'sds-exporter', compresses: true }
  const { targets, missing, end } = await startReferences(served)
  const samples = count(samplesIn(served))
  const rows: Row[] = []
  try {
    for (const encoding of ['identity', 'gzip'] as const)
      for (const connections of [1, 8]) {
        const over = connections === 1 ? '1 connection' : `${connections} connections`
        const what = `scrape of ${samples} samples, ${encoding}, ${over}`
        const beside = targets.filter(
          ({ compresses, name }) =>
            (compresses || encoding === 'identity') && (connections === 1 || name !== 'prom-client'),
        )
        rows.push(...(await compareAll(run, { own, beside, encoding, connections, what })))
      }
  } finally {
    await end()
  }
  await run({ ...jobOf(own, 'gzip', 8), milliseconds: Number.POSITIVE_INFINITY, times: SCRAPES_FOR_MEMORY })
  const notMeasured = missing.map(({ name, reason }) => ({
    part: 'a',
    what: `scrape of ${samples} samples`,
    reference: name,
    referenceTakes: `not measured: ${reason}`,
  }))
  return [...rows, ...notMeasured, ...memoryAndStart(exporter, size, samples)]
}

function memoryAndStart(exporter: Exporter & StartFigures, size: Size, samples: string): Row[] {
  const nodes = count(size.pools * size.nodesPerPool)
  return [
    {
      part: 'c',
      what: `memory, ${nodes} nodes (${samples} samples), at rest`,
      own: mebibytes(exporter.atRestBytes),
      goal: size.pools === 1 ? '100 MiB' : '–',
    },
    {
      part: 'c',
      what: `memory, ${nodes} nodes, after the scrapes above and 10,000 with gzip over 8 connections`,
      own: mebibytes(residentBytes(exporter.pid)),
    },
    {
      part: 'd',
      what: `start to the end of the first complete scrape, ${nodes} nodes`,
      own: `${seconds(exporter.startSeconds)} wall`,
      ...(size.startGoalSeconds !== undefined && {
        goal: { most: size.startGoalSeconds, unit: 's' as const },
      }),
    },
  ]
}

function jobOf({ url }: Pick<Target, 'url'>, encoding: string, connections: number): ScrapeJob {
  return {
    url: `${url}/metrics`,
    headers: { 'Accept-Encoding': encoding },
    connections,
    milliseconds: JOB_MS,
  }
}

async function save(folder: string, url: string): Promise<Served> {
  const [text, gzip] = [join(folder, 'text'), join(folder, 'gzip')]
  const { body } = await get(`${url}/metrics`, { 'Accept-Encoding': 'gzip' })
  writeFileSync(gzip, body)
  writeFileSync(text, gunzipSync(body))
  return { folder, text, gzip }
}

function samplesIn({ text }: Served): number {
  const lines = readFileSync(text, 'utf8').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('#')).length
}

async function startReferences(served: Served) {
  const targets: Target[] = []
  const missing: { readonly name: string; readonly reason: string }[] = []
  const children: Parameters<typeof stop>[0][] = []
  for (const { name, compresses, start } of REFERENCES) {
    try {
      const { child, url } = await start(served)
      children.push(child)
      targets.push({ name, url, compresses, pid: child.pid ?? 0 })
    } catch (failure) {
      missing.push({ name, reason: errorText(failure) })
    }
  }
  const end = async () => {
    for (const child of children) await stop(child)
  }
  return { targets, missing, end }
}

interface Comparison {
  readonly own: Target
  readonly beside: readonly Target[]
  readonly encoding: keyof typeof ENCODINGS
  readonly connections: number
  readonly what: string
}

/** Alternates the servers, so that changes of machine speed affect all. */
async function compareAll(run: Run, options: Comparison): Promise<Row[]> {
  const { own, beside, encoding, connections, what } = options
  const measure = async (target: Target): Promise<Cost> => {
    const before = cpuSeconds(target.pid)
    const durations = await run(jobOf(target, encoding, connections))
    const cpuMs = ((cpuSeconds(target.pid) - before) * 1000) / durations.length
    return { cpuMs, wallMs: median(durations) }
  }
  for (const target of [own, ...beside])
    await run({ ...jobOf(target, encoding, connections), milliseconds: WARM_UP_MS })
  const found = new Map<Target, [Cost, Cost][]>(beside.map((target) => [target, []]))
  for (let round = 0; round < ROUNDS_WITH_GOAL; round += 1) {
    const measured = round < ROUNDS ? beside : beside.filter(({ name }) => name === READY_BYTES)
    for (const target of measured) found.get(target)?.push([await measure(own), await measure(target)])
  }
  return beside.map((target) => {
    const pairs = found.get(target) ?? []
    const text = (costs: readonly Cost[]) =>
      `${milliseconds(median(costs.map(({ cpuMs }) => cpuMs)))} CPU, ${milliseconds(median(costs.map(({ wallMs }) => wallMs)))} wall`
    return {
      part: 'a',
      what,
      own: text(pairs.map(([one]) => one)),
      reference: target.name,
      referenceTakes: text(pairs.map(([, other]) => other)),
      ratio: ratio(median(pairs.map(([one, other]) => one.cpuMs / other.cpuMs))),
      goal: target.name === READY_BYTES ? ENCODINGS[encoding] : '–',
    }
  })
}
