import { createClient } from '../../../../src/api/client.ts'
import { ApiError } from '../../../../src/api/errors/errors.ts'
import type { PoolRef } from '../../../../src/api/resources/pool_list.ts'
import { createResourceReader } from '../../../../src/api/resources/reader.ts'
import { parseConfig } from '../../../../src/config/load.ts'
import type { EmulatorOptions } from '../../../../src/emulator/options.ts'
import { silentLog } from '../../../../src/log.ts'
import { createExposition } from '../../../../src/metrics/exposition.ts'
import { withForecasts, withPoll, withPools } from '../../../../src/state/changes.ts'
import { withResource } from '../../../../src/state/resources.ts'
import { newSystem, type SystemState } from '../../../../src/state/state.ts'
import { systemParts } from '../../../../src/state/store.ts'
import { kindsOf, type ResourceName } from '../../../../src/system_catalogue.ts'
import { createEmulator, type Emulator } from '../../../support/programs/emulator.ts'

export const HOUR = 3_600
/** Seconds between two readings of a system. */
export const STEP = HOUR
export const DAY = 86_400
/** A Monday, in seconds since the epoch. */
export const START = Date.parse('2026-01-05T00:00:00Z') / 1000
/** Of courses whose effects on trends and baselines last for weeks. */
export const LONG_DAYS = 30
/** Of the others: ten days before the event, and four from then on. */
const SHORT_DAYS = 14
const STEPS = (LONG_DAYS * DAY) / STEP
/** When the event of a course begins, and new nodes join: a Thursday, 10:00, in seconds since `START`. */
export const EVENT = 10 * DAY + 10 * HOUR

/** What happens to an emulated system, or to those that watch it, within the days. Times in seconds since `START`. */
export interface Course {
  /** Default: 14. */
  readonly days?: number
  readonly emulator?: EmulatorOptions
  /** Called before each reading; changes nothing before {@link EVENT}. */
  readonly before?: (emulator: Emulator, time: number) => void
  /** What is exported of a series at a time, where it differs from what the emulated system serves; undefined: nothing. */
  readonly exported?: (sample: Sample, time: number) => Sample | undefined
  /** The exporters that Prometheus scrapes; default: one. None: Prometheus is down. */
  readonly exporters?: (time: number) => readonly string[]
}

export const stepsOf = ({ days = SHORT_DAYS }: Course): number => (days * DAY) / STEP

/** A line of the exposition. */
export interface Sample {
  /** Name and labels, as in the text format. */
  readonly series: string
  readonly value: number
}

/** The values of one series at each step; NaN: absent. The key is the series in the text format. */
export type SeriesOfCourse = ReadonlyMap<string, Float64Array>

const RESOURCES = ['system', 'pools', 'replication', 'namespaces', 'quotas', 'inventory'] as const
/** The label of all series; each course gets its own. */
const SYSTEM = 'emulated'
const NEVER = new AbortController().signal
/** Requests to the emulated system take no time of its clock. */
const UNLIMITED = 1_000_000

interface Played {
  /** What the system serves. */
  readonly series: SeriesOfCourse
  /** Before the reading at {@link EVENT}. */
  readonly stateAtEvent: SystemState
}

/** Of courses without `before`, by the emulated system. */
const undisturbed = new Map<string, Played>()

/**
 * Reads an emulated system as the exporter does, each hour of its clock, and collects what `/metrics`
 * would have had of the families. What an earlier course without `before` has read of the same system is not read again.
 */
export async function playCourse(course: Course, families: ReadonlySet<string>): Promise<SeriesOfCourse> {
  const key = JSON.stringify([course.emulator, [...families]])
  const known = undisturbed.get(key)
  const played =
    course.before === undefined && known !== undefined ? known : await play(course, families, known)
  if (course.before === undefined) undisturbed.set(key, played)
  return course.exported === undefined ? played.series : exportedSeries(played.series, course.exported)
}

/** The series as `exported` changes them, each value by itself. */
function exportedSeries(served: SeriesOfCourse, exported: NonNullable<Course['exported']>): SeriesOfCourse {
  const result = new Map<string, Float64Array>()
  for (const [series, values] of served) {
    for (const [step, value] of values.entries()) {
      const sample = Number.isNaN(value) ? undefined : exported({ series, value }, step * STEP)
      if (sample !== undefined) setValue(result, sample, step)
    }
  }
  return result
}

function setValue(result: Map<string, Float64Array>, { series, value }: Sample, step: number): void {
  const values = result.get(series) ?? new Float64Array(STEPS).fill(Number.NaN)
  values[step] = value
  result.set(series, values)
}

const EVENT_STEP = EVENT / STEP

/** The values before the event; absent from then on. */
const untilEvent = ({ series }: Played) =>
  new Map([...series].map(([key, values]) => [key, values.slice().fill(Number.NaN, EVENT_STEP)]))

async function play(course: Course, families: ReadonlySet<string>, begun?: Played): Promise<Played> {
  // New nodes join an hour before the creation.
  let now = START + EVENT + HOUR
  const size = { pools: 1, newNodes: 0, newNodeHours: 1, namespaces: 2 }
  const options = { listenAddress: '127.0.0.1:0', profile: 'classic', ...size, ...course.emulator } as const
  const emulator = createEmulator({ ...options, clock: () => now * 1000 })
  await emulator.start()
  const reader = createReader(emulator)
  // Other courses use what a course without `before` reads.
  const steps = course.before === undefined ? STEPS : stepsOf(course)
  try {
    const series = begun === undefined ? new Map<string, Float64Array>() : untilEvent(begun)
    let state: SystemState = begun?.stateAtEvent ?? { ...newSystem(SYSTEM), up: true, tried: true }
    let stateAtEvent = state
    for (let step = begun === undefined ? 0 : EVENT_STEP; step < steps; step++) {
      now = START + step * STEP
      if (step === EVENT_STEP) stateAtEvent = state
      course.before?.(emulator, step * STEP)
      state = await reader.read(state, now)
      collect(state, families, (sample) => setValue(series, sample, step))
    }
    return { series, stateAtEvent }
  } finally {
    await reader.close()
    await emulator.stop()
  }
}

function createReader(emulator: Emulator) {
  const text = `systems: [{name: ${SYSTEM}, base_url: "${emulator.url}", auth: {token: emulator-monitor}}]`
  const config = parseConfig(text, { file: 'course.yml', environment: {} })
  const [system] = config.systems
  if (system === undefined) throw new Error('no system')
  const observer = { exchanged: () => undefined }
  const client = createClient({
    system: { ...system, limits: { ...system.limits, requestsPerSecond: UNLIMITED } },
    ...{ observer, log: silentLog },
  })
  let state: SystemState
  const resources = createResourceReader({
    resources: system.resources,
    send: client.resource,
    query: client.query,
    openDataPorts: client.openDataPorts,
    known: (name) => state.resources.get(name)?.reading,
    pause: async () => undefined,
    now: () => performance.now(),
  })
  const ofPools = async () => {
    const { values: figures } = await client.pools(NEVER)
    if (figures instanceof ApiError) throw figures
    return figures
  }
  const keep = async (resource: ResourceName, now: number) => {
    for (const kind of kindsOf(resource)) {
      const reading = await (kind.isListOfPools ? ofPools() : resources.read(kind, NEVER))
      state = withResource(state, kind.name, reading, now)
    }
  }
  const polled = async (pool: PoolRef, now: number) => {
    const reading = await client.nodes(pool.id, NEVER)
    state = withPoll(state, pool.id, { at: now, seconds: 0.1, failure: undefined }, reading)
  }
  const forecast = async (pool: PoolRef) => {
    for (const timeFrame of system.forecast.timeFrames) {
      const reading = await client.forecasts(pool.id, { ...system.forecast, timeFrame }, NEVER)
      state = withForecasts(state, pool.id, timeFrame, reading)
    }
  }
  return {
    close: client.close,
    async read(before: SystemState, now: number): Promise<SystemState> {
      state = before
      state = withPools(state, (await client.pools(NEVER)).pools)
      for (const { ref } of state.pools.values()) {
        await polled(ref, now)
        if (now % (6 * HOUR) === 0) await forecast(ref)
      }
      for (const resource of RESOURCES) await keep(resource, now)
      return state
    },
  }
}

function collect(state: SystemState, families: ReadonlySet<string>, add: (sample: Sample) => void): void {
  const lines = createExposition(systemParts(state)).only(families).text('text').split('\n')
  for (const line of lines.filter((text) => text !== '' && !text.startsWith('#'))) {
    const space = line.lastIndexOf(' ')
    add({ series: line.slice(0, space), value: Number(line.slice(space + 1)) })
  }
}
