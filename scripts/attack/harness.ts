import { constants, getPriority, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProbing } from './probing.ts'
import { cpuSeconds, peakMemoryMib, queuedMib, resetPeakMemory } from './proc.ts'
import type { Stopped } from './processes.ts'
import { requestPage } from './requests.ts'
import { type Findings, type Row, type Setup, STEADY, type Target } from './row.ts'
import type { Measured } from './verdict.ts'

const DEFAULT_SECONDS = 8
/** Time in which an attack must end after its signal. */
const OVERTIME_SECONDS = 5
/** How long the measuring lasts before and after an attack. */
interface Margins {
  /** An exporter in operation has compiled its code for requests. */
  readonly warmUpMs: number
  /** Requests of the attack may still be processed. */
  readonly settleMs: number
}
const MARGINS: Margins = { warmUpMs: 3000, settleMs: 2000 }
const SAMPLE_MS = 100

export interface Measurement {
  readonly measured: Measured
  readonly note: string
}

/** Starts an exporter, attacks it and measures meanwhile. */
export async function measureRow(
  row: Row,
  start: (setup: Setup) => Promise<Target>,
  margins = MARGINS,
): Promise<Measurement> {
  const target = await start(row.setup ?? {})
  let stopped: Stopped | undefined
  try {
    const { note, measured } = await measureTarget(row, target, margins)
    stopped = await target.stop()
    return { note, measured: { ...measured, stopped } }
  } finally {
    if (stopped === undefined) await target.stop()
  }
}

interface BeforeStop {
  readonly measured: Omit<Measured, 'stopped'>
  readonly note: string
}

async function measureTarget(row: Row, target: Target, margins: Margins): Promise<BeforeStop> {
  const before = { polls: await pollsOf(target), log: target.logBytes() }
  resetPeakMemory(target.pid)
  const resources = sampleResources(target)
  const probing = await startProbing(target)
  await sleep(margins.warmUpMs)
  const { problems = [], note = '' } = await attack(row, target)
  await sleep(margins.settleMs)
  const probed = await probing.stop()
  const after = await pollsOf(target)
  return {
    note,
    measured: {
      ...probed,
      ...resources.stop(),
      end: target.end(),
      logBytes: target.logBytes() - before.log,
      polls: growth(before.polls, after),
      problems,
    },
  }
}

async function attack(row: Row, target: Target): Promise<Findings> {
  const seconds = row.seconds ?? DEFAULT_SECONDS
  const overtime = new AbortController()
  const late = sleep((seconds + OVERTIME_SECONDS) * 1000, undefined, { signal: overtime.signal }).then(
    () => ({ problems: ['the attack did not end in time'] }),
    () => ({}),
  )
  const restorePriority = lowerPriority()
  try {
    return (await Promise.race([row.attack(target, AbortSignal.timeout(seconds * 1000)), late])) ?? {}
  } catch (failure) {
    return { problems: [`the attack failed: ${failure instanceof Error ? failure.message : failure}`] }
  } finally {
    restorePriority()
    overtime.abort()
  }
}

/** Added to the niceness of this process while it attacks: clients of an exporter run on other machines. */
const ATTACK_NICENESS = 10

/** Returns a function that restores the priority, for which the system asks root; without root nothing changes. */
function lowerPriority(): () => void {
  if (process.getuid?.() !== 0) return () => undefined
  const before = getPriority()
  setPriority(Math.min(before + ATTACK_NICENESS, constants.priority.PRIORITY_LOW))
  return () => setPriority(before)
}

/** Reads the resources repeatedly, because the figures of a process that ended are gone. */
function sampleResources({ pid, url, adminUrl }: Target) {
  const began = cpuSeconds(pid)
  const ports = [url, adminUrl].filter((text) => text !== '').map((text) => Number(new URL(text).port))
  const figures = { memoryMib: 0, socketMib: 0, cpuSeconds: 0 }
  const sample = () => {
    figures.socketMib = Math.max(figures.socketMib, queuedMib(ports))
    try {
      figures.memoryMib = peakMemoryMib(pid)
      figures.cpuSeconds = cpuSeconds(pid) - began
    } catch {
      // The process ended; the last figures remain.
    }
  }
  const timer = setInterval(sample, SAMPLE_MS)
  return {
    stop() {
      clearInterval(timer)
      sample()
      return figures
    },
  }
}

interface Polls {
  readonly ok: number
  readonly all: number
}

/** Polls of the healthy system so far, from the metrics of the exporter. */
export async function pollsOf(target: Target): Promise<Polls | undefined> {
  try {
    const { status, text } = await requestPage(target, '/metrics')
    if (status !== 200) return undefined
    const samples = [...text().matchAll(/^sds_pool_polls_total\{(.*)\} (\S+)$/gm)]
      .map(([, labels = '', value]) => ({ labels, value: Number(value) }))
      .filter(({ labels }) => labels.includes(`system="${STEADY}"`))
    const sum = (list: typeof samples) => list.reduce((total, { value }) => total + value, 0)
    return { ok: sum(samples.filter(({ labels }) => labels.includes('result="ok"'))), all: sum(samples) }
  } catch {
    return undefined
  }
}

function growth(before: Polls | undefined, after: Polls | undefined): Measured['polls'] {
  if (before === undefined || after === undefined) return undefined
  const ok = after.ok - before.ok
  return { ok, failed: after.all - before.all - ok }
}
