import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { get } from '../../../test/support/http.ts'
import { cpuSeconds, type Exporter, stop, withExporter } from '../polls/exporter.ts'
import { compare } from './figures.ts'
import type { ScrapeJob } from './scraper.ts'

const FLEET = { pools: 10, nodesPerPool: 64, schedule: '0 0 0 1 * *' } as const
const ROUNDS = 15
/** So many that steps of 10 ms are a small part of their CPU time. */
const SCRAPES_PER_ROUND = 300

/** CPU time of a scrape in milliseconds. */
export interface ScrapeCpu {
  readonly encoding: string
  readonly bytes: number
  readonly exporter: number
  /** A Go handler that writes the same bytes. */
  readonly reference: number
  readonly ratio: number
}

interface Server {
  readonly pid: number
  readonly url: string
}

/**
 * Compares the CPU time of a scrape with that of a Go handler that writes the same bytes.
 * @throws where Go is missing
 */
export async function compareScrapeCpu(): Promise<ScrapeCpu[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sds-ready-bytes-'))
  const worker = new Worker(new URL('./scraper.ts', import.meta.url))
  try {
    const program = buildGo(folder)
    return await withExporter(FLEET, async (exporter) => {
      await polled(exporter)
      const found: ScrapeCpu[] = []
      for (const encoding of ['identity', 'gzip']) {
        const { body } = await get(`${exporter.url}/metrics`, { 'Accept-Encoding': encoding })
        found.push({
          encoding,
          bytes: body.length,
          ...(await compareWithGo(exporter, { program, folder, worker, encoding, body })),
        })
      }
      return found
    })
  } finally {
    await worker.terminate()
    rmSync(folder, { recursive: true, force: true })
  }
}

function buildGo(folder: string): string {
  const program = join(folder, 'ready_bytes')
  const source = fileURLToPath(new URL('./ready_bytes.go', import.meta.url))
  try {
    execFileSync('go', ['build', '-o', program, source], { stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (cause) {
    throw new Error('the Go handler of ready bytes could not be built: is Go installed?', { cause })
  }
  return program
}

/** Waits for the first poll of all pools. */
async function polled({ url }: Exporter): Promise<void> {
  while ((await get(`${url}/-/ready`)).status !== 200) await sleep(100)
}

interface Comparison {
  readonly program: string
  readonly folder: string
  readonly worker: Worker
  readonly encoding: string
  readonly body: Buffer
}

async function compareWithGo(exporter: Server, { program, folder, worker, encoding, body }: Comparison) {
  const file = join(folder, encoding)
  writeFileSync(file, body)
  const go = spawn(program, [file, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const measure = async ({ pid, url }: Server): Promise<number> => {
    const before = cpuSeconds(pid)
    const headers = { 'Accept-Encoding': encoding }
    worker.postMessage({
      url: `${url}/metrics`,
      headers,
      times: SCRAPES_PER_ROUND,
    } satisfies ScrapeJob)
    await once(worker, 'message')
    return ((cpuSeconds(pid) - before) * 1000) / SCRAPES_PER_ROUND
  }
  try {
    const reference = { pid: go.pid ?? 0, url: await firstLine(go) }
    return await compare(
      ROUNDS,
      () => measure(exporter),
      () => measure(reference),
    )
  } finally {
    await stop(go)
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return line.toString().trim()
}
