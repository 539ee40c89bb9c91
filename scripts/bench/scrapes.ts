import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { temporaryFolder } from '../../test/support/folders.ts'
import { get } from '../../test/support/http.ts'
import { startProcess } from '../../test/support/processes.ts'
import { cpuSeconds, type Exporter, type Fleet, residentBytes, withExporter } from './exporter.ts'
import type { ScrapeJob } from './scraper.ts'

/** An exporter some seconds after its polls, and after one scrape. */
export interface AtRest {
  readonly series: number
  readonly expositionBytes: number
  readonly compressedBytes: number
  /** Of a scrape whose exposition is not compressed yet. */
  readonly compressionCpuSeconds: number
  readonly residentBytes: number
}

/** A scrape over one connection; the ratio is the median of alternating pairs of runs. */
export interface Scrape {
  readonly encoding: (typeof ENCODINGS)[number]
  readonly cpuMs: number
  readonly goCpuMs: number
  readonly ratio: number
}

const ENCODINGS = ['identity', 'gzip'] as const
const REST_MS = 5000
/** So that the compiler of Node.js has optimized the code. */
const WARM_UP_MS = 5000
const RUN_MS = 1000
const PAIRS = 9

/** @param isCompared whether scrapes are measured beside a Go handler; without Go there are none */
export function measureAtRest(
  fleet: Fleet,
  isCompared: boolean,
): Promise<{ readonly atRest: AtRest; readonly scrapes: readonly Scrape[] }> {
  return withExporter(fleet, {}, async (exporter) => {
    const { body } = await get(`${exporter.url}/metrics`, { 'Accept-Encoding': 'gzip' })
    const text = gunzipSync(body)
    await sleep(REST_MS)
    const series = text.toString().match(/^[^#\n]/gm)?.length ?? 0
    const atRest = {
      series,
      expositionBytes: text.length,
      compressedBytes: body.length,
      residentBytes: residentBytes(exporter.pid),
      compressionCpuSeconds: await compressionCpuSeconds(exporter),
    }
    return { atRest, scrapes: isCompared ? await compareWithGo(exporter, text, body) : [] }
  })
}

/** The format OpenMetrics was not requested yet, so that its exposition is made for this scrape. */
async function compressionCpuSeconds({ pid, url }: Exporter): Promise<number> {
  const before = cpuSeconds(pid)
  await get(`${url}/metrics`, { Accept: 'application/openmetrics-text', 'Accept-Encoding': 'gzip' })
  return cpuSeconds(pid) - before
}

/** A handler that serves the same bytes from memory is the least that a scrape can cost in Go. */
async function compareWithGo(exporter: Exporter, text: Buffer, gzip: Buffer): Promise<Scrape[]> {
  using folder = temporaryFolder()
  const program = join(folder.path, 'ready_bytes')
  if (!buildGo(program)) return []
  const files = { text: join(folder.path, 'text'), gzip: join(folder.path, 'gzip') }
  writeFileSync(files.text, text)
  writeFileSync(files.gzip, gzip)
  await using child = await startProcess(program, [files.text, files.gzip])
  const worker = new Worker(new URL('./scraper.ts', import.meta.url))
  try {
    const [url] = await child.waitForOutput(/^http:.*$/m)
    const scrapes: Scrape[] = []
    for (const encoding of ENCODINGS)
      scrapes.push(await compare(worker, encoding, exporter, { url, pid: child.pid }))
    return scrapes
  } finally {
    await worker.terminate()
  }
}

function buildGo(program: string): boolean {
  const source = fileURLToPath(new URL('./ready_bytes.go', import.meta.url))
  try {
    execFileSync('go', ['build', '-o', program, source], { stdio: ['ignore', 'ignore', 'pipe'] })
    return true
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw failure
  }
}

type Server = Pick<Exporter, 'url' | 'pid'>

/** Alternates the servers, so that changes of machine speed affect both. */
async function compare(
  worker: Worker,
  encoding: Scrape['encoding'],
  exporter: Server,
  go: Server,
): Promise<Scrape> {
  const cpuMs = async ({ url, pid }: Server, milliseconds: number): Promise<number> => {
    const before = cpuSeconds(pid)
    worker.postMessage({ url: `${url}/metrics`, encoding, milliseconds } satisfies ScrapeJob)
    const [scrapes] = (await once(worker, 'message')) as [number]
    return ((cpuSeconds(pid) - before) * 1000) / scrapes
  }
  for (const server of [exporter, go]) await cpuMs(server, WARM_UP_MS)
  const pairs: [number, number][] = []
  while (pairs.length < PAIRS) pairs.push([await cpuMs(exporter, RUN_MS), await cpuMs(go, RUN_MS)])
  return {
    encoding,
    cpuMs: median(pairs.map(([own]) => own)),
    goCpuMs: median(pairs.map(([, other]) => other)),
    ratio: median(pairs.map(([own, other]) => own / other)),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
