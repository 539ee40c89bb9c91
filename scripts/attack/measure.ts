import { once } from 'node:events'
import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { errorText } from '../../src/values/errors.ts'
import { request } from './clients.ts'
import type { StartedTarget } from './exporter.ts'
import type { Probed } from './prober.ts'
import { descriptors, peakMemoryMib, queuedMib, resetPeakMemory } from './proc.ts'
import type { Row, Target } from './row.ts'

const DEFAULT_SECONDS = 8
/** Time in which an attack must end after its signal. */
const OVERTIME_SECONDS = 10
const SAMPLE_MS = 100
/** In which the client that scrapes has authenticated, before the attack. */
const FIRST_SCRAPE_MS = 60_000
/** Memory is flat if its peak has grown by less than 1 % for so long. Garbage of old objects is collected rarely. */
const FLAT_MS = 60_000
const FLAT_GROWTH = 1.01
const MAX_GROWING_SECONDS = 600
/** In which connections of the attack must be closed. */
const CLOSED_MS = 10_000
/** Connections to the storage systems come and go. */
const MORE_DESCRIPTORS = 30

/** What every attack must leave as it is. */
const LIMITS = { healthMs: 1000, scrapeAfterMs: 1000, logBytes: 1_000_000, stopMs: 5000 }

export interface Measured {
  readonly health: Probed
  readonly scrapes: Probed
  /** Time of a scrape right after the attack. */
  readonly scrapeAfterMs: number
  /** Highest memory of the process and of the buffers of its connections together. */
  readonly memoryMib: number
  readonly logBytes: number
  /** Exceeded limits; empty if the exporter held. */
  readonly problems: readonly string[]
}

/** Attacks an exporter, measures meanwhile, and ends it. */
export async function measureRow(row: Row, target: StartedTarget, memoryLimitMib: number): Promise<Measured> {
  const before = { descriptors: descriptors(target.pid), log: target.logBytes() }
  const memory = sampleMemory(target)
  const prober = new Worker(new URL('./prober.ts', import.meta.url), {
    workerData: { url: target.url, headers: target.headers },
  })
  await request(`${target.url}/metrics`, { headers: target.headers, timeoutMs: FIRST_SCRAPE_MS })
  const found = row.untilFlat ? await attackUntilFlat(row, target, memory.peakMib) : await attack(row, target)
  const after = await scrapeAfter(target)
  prober.postMessage('stop')
  const [{ health, scrapes }] = (await once(prober, 'message')) as [Pick<Measured, 'health' | 'scrapes'>]
  const memoryMib = memory.stop()
  const logBytes = target.logBytes() - before.log
  const problems = [
    ...found,
    ...over(health.longestMs, LIMITS.healthMs, '/-/healthy took', 'ms'),
    ...(health.problem === undefined ? [] : [`/-/healthy: ${health.problem}`]),
    ...after.problems,
    ...over(memoryMib, memoryLimitMib, 'memory', 'MiB'),
    ...over(logBytes, LIMITS.logBytes, 'log', 'bytes'),
    ...(await leakedDescriptors(target, before.descriptors + MORE_DESCRIPTORS)),
    ...(await stopProblems(target)),
  ]
  return { health, scrapes, scrapeAfterMs: after.ms, memoryMib, logBytes, problems }
}

/** Ends the attack when the memory is flat. */
async function attackUntilFlat(row: Row, target: Target, peakMib: () => number): Promise<readonly string[]> {
  const flat = new AbortController()
  let [peak, since] = [0, performance.now()]
  const timer = setInterval(() => {
    if (peakMib() > peak * FLAT_GROWTH) [peak, since] = [peakMib(), performance.now()]
    else if (performance.now() - since > FLAT_MS) flat.abort()
  }, SAMPLE_MS)
  const found = await attack({ ...row, seconds: MAX_GROWING_SECONDS }, target, flat.signal)
  clearInterval(timer)
  return flat.signal.aborted ? found : [...found, `memory still grows after ${MAX_GROWING_SECONDS} s`]
}

async function attack(
  row: Row,
  target: Target,
  end = new AbortController().signal,
): Promise<readonly string[]> {
  const seconds = row.seconds ?? DEFAULT_SECONDS
  const overtime = new AbortController()
  const late = sleep((seconds + OVERTIME_SECONDS) * 1000, undefined, { signal: overtime.signal }).then(
    () => ['the attack did not end in time'],
    () => [],
  )
  const restorePriority = lowerPriority()
  try {
    return (
      (await Promise.race([
        row.attack(target, AbortSignal.any([end, AbortSignal.timeout(seconds * 1000)])),
        late,
      ])) ?? []
    )
  } catch (failure) {
    return [`the attack failed: ${errorText(failure)}`]
  } finally {
    restorePriority()
    overtime.abort()
  }
}

/** Clients of an exporter run on other machines. Without root nothing changes. @returns a function that restores it */
function lowerPriority(): () => void {
  if (process.getuid?.() !== 0) return () => undefined
  const before = getPriority()
  setPriority(constants.priority.PRIORITY_LOW)
  return () => setPriority(before)
}

async function scrapeAfter({ url, headers }: Target): Promise<{ ms: number; problems: readonly string[] }> {
  const began = performance.now()
  const answer = await request(`${url}/metrics`, { headers, timeoutMs: 10_000 }).catch(errorText)
  const ms = performance.now() - began
  const slow = over(ms, LIMITS.scrapeAfterMs, 'a scrape after the attack took', 'ms')
  return { ms, problems: answer === 200 ? slow : [`a scrape after the attack: ${answer}`] }
}

/** Reads the memory repeatedly, because the values of a process that ended are gone. */
function sampleMemory({ pid, url, adminUrl }: Target): { peakMib(): number; stop(): number } {
  resetPeakMemory(pid)
  const ports = [url, adminUrl].map((text) => Number(new URL(text).port))
  let [process, queued] = [0, 0]
  const sample = () => {
    queued = Math.max(queued, queuedMib(ports))
    try {
      process = peakMemoryMib(pid)
    } catch {
      // The process ended; the last value remains.
    }
  }
  const timer = setInterval(sample, SAMPLE_MS)
  return {
    peakMib: () => process + queued,
    stop() {
      clearInterval(timer)
      sample()
      return process + queued
    },
  }
}

async function leakedDescriptors({ pid }: Target, most: number): Promise<readonly string[]> {
  const deadline = performance.now() + CLOSED_MS
  try {
    while (descriptors(pid) > most) {
      if (performance.now() > deadline) return [`${descriptors(pid)} descriptors are left, at most ${most}`]
      await sleep(SAMPLE_MS)
    }
    return []
  } catch {
    return ['the process ended']
  }
}

async function stopProblems({ child }: StartedTarget): Promise<readonly string[]> {
  const began = performance.now()
  const { code, signal } = await child.stop()
  return [
    ...(code === 0 ? [] : [`after SIGTERM the process ended with ${signal ?? code}`]),
    ...over(performance.now() - began, LIMITS.stopMs, 'the end after SIGTERM took', 'ms'),
  ]
}

function over(value: number, limit: number, what: string, unit: string): readonly string[] {
  return value <= limit ? [] : [`${what} ${Math.round(value)} ${unit}`]
}
