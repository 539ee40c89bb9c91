import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { temporaryFolder } from '../../test/support/folders.ts'

/** What a run of `backfill` took. Memory is that of its process alone. */
export interface BackfillRun {
  /** Such as `stdout: 2972 samples, 3 requests, 0s`. */
  readonly lastMessage: string
  readonly samples: number
  /** Of the text. */
  readonly bytes: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly maxResidentBytes: number
}

interface Report {
  readonly maxRssKib: number
  readonly cpuSeconds: number
}

const BYTES_PER_KIB = 1024

/**
 * Runs the compiled `backfill` to stdout in a process of its own, and counts the samples.
 * @throws its messages, if it fails
 */
export async function runBackfill(url: string, ...flags: string[]): Promise<BackfillRun> {
  using folder = temporaryFolder()
  const auth = 'auth: {token: emulator-monitor}'
  const config = folder.write(
    'sds-exporter.yml',
    `systems: [{name: bench, base_url: "${url}", ${auth}}]\nlimits: {requests_per_second: 1000}\n`,
  )
  const command = ['dist/main.js', 'backfill', `--config.file=${config}`, ...flags, '--output=-']
  const began = performance.now()
  const child = spawn(process.execPath, ['--import', './scripts/bench/report_memory.ts', ...command], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder.path },
  })
  const exited = once(child, 'exit')
  const [{ samples, bytes }, messages, report] = await Promise.all([
    countSamples(child.stdout as Readable),
    text(child.stderr as Readable),
    text(child.stdio[3] as Readable),
  ])
  const [code] = await exited
  if (code !== 0) throw new Error(messages)
  const { maxRssKib, cpuSeconds } = JSON.parse(report) as Report
  return {
    samples,
    bytes,
    lastMessage: messages.trim().split('\n').at(-1) ?? '',
    seconds: (performance.now() - began) / 1000,
    cpuSeconds,
    maxResidentBytes: maxRssKib * BYTES_PER_KIB,
  }
}

const NEWLINE = 10
const HASH = 35

/** The lines of an OpenMetrics text that are no comments. */
async function countSamples(stream: Readable): Promise<{ samples: number; bytes: number }> {
  let [samples, bytes] = [0, 0]
  let isStart = true
  for await (const chunk of stream) {
    bytes += (chunk as Buffer).length
    for (const byte of chunk as Buffer) {
      if (isStart && byte !== HASH) samples += 1
      isStart = byte === NEWLINE
    }
  }
  return { samples, bytes }
}
