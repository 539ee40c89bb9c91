import { milliseconds } from '../../../../grafana/mixin/promql/duration.ts'
import { RECORDINGS } from '../../../../grafana/mixin/rules/groups/recording.ts'
import { ALERT_GROUPS } from '../../../../grafana/mixin/rules/rules.ts'
import { DEFAULT_VALUES } from '../../../../grafana/mixin/settings.ts'
import { resolve } from '../../../../src/alerting/references.ts'
import { parseExposition } from '../../../metrics/exposition_text.ts'
import { type Prometheus, startPrometheus } from '../../../support/programs/prometheus.ts'
import {
  type Course,
  DAY,
  LONG_DAYS,
  playCourse,
  type SeriesOfCourse,
  START,
  STEP,
  stepsOf,
} from './course.ts'
import { encodeLabels, remoteWrite, seriesEncoder } from './remote_write.ts'

/**
 * Of the samples that Prometheus has: several for each reading, because ranges of rules are shorter than a step. Ranges of
 * rates are 15 minutes, and need two.
 */
const SCRAPE = 450
const STEPS_PER_DAY = DAY / STEP
const endOf = (course: Course): number => START + (stepsOf(course) - 1) * STEP
/** The exporter that is always there, unless a course says otherwise. */
const EXPORTERS = ['a:9438'] as const
const RULES = ALERT_GROUPS.flatMap(({ alerts }) => alerts)

const SUBJECT = ['pool', 'node', 'category', 'resource', 'namespace', 'attribute']

/** Firing alerts by name, with the labels that tell what they are about. */
export type Fired = ReadonlyMap<string, ReadonlySet<string>>

/** The names in all expressions; recorded ones among them. */
const FAMILIES = new Set(
  [...RULES, ...resolve(RECORDINGS, DEFAULT_VALUES)].flatMap(({ expr }) => expr.match(/\bsds_\w+/g) ?? []),
)

/** The alerts of the course that fire within its days. @param name the label `system` */
export async function firedIn(name: string, course: Course): Promise<Fired> {
  await using prometheus = await startPrometheus({
    config: {},
    outOfOrderWindow: `${2 * LONG_DAYS}d`,
    // A sample counts at its time only, so that a gap is one.
    flags: ['--query.lookback-delta=1m', '--query.timeout=10m'],
  })
  await writeScrapes(prometheus.url, name, course, await playCourse(course, FAMILIES))
  await record(prometheus, endOf(course))
  const fired = new Map<string, Set<string>>()
  for (const { alert, expr, for: wait } of RULES) {
    for (const { metric, values } of await prometheus.queryRange(expr, START, endOf(course), STEP)) {
      // Alerts about exporters need `up`, which is not written.
      if (metric['system'] !== name) continue
      if (longest(values, course) * STEP <= milliseconds(wait ?? '0s') / 1000) continue
      const subject = SUBJECT.flatMap((key) => metric[key] ?? []).join('/')
      fired.set(alert, new Set([...(fired.get(alert) ?? []), subject]))
    }
  }
  return fired
}

const exportersAt = ({ exporters }: Course, step: number): readonly string[] =>
  exporters?.(step * STEP) ?? EXPORTERS

/**
 * The largest number of evaluations in a row with a result. While Prometheus is down there are none, and it resumes the
 * wait where it was.
 */
function longest(values: readonly (readonly [number, number])[], course: Course): number {
  const steps = new Set(values.map(([time]) => (time - START) / STEP))
  let most = 0
  let row = 0
  for (let step = 0; step < stepsOf(course); step++) {
    if (exportersAt(course, step).length === 0) continue
    row = steps.has(step) ? row + 1 : 0
    most = Math.max(most, row)
  }
  return most
}

/** Times that pass while nothing is read; those of licences and certificates do not. */
const movesOn = (name: string): boolean => name.endsWith('_timestamp_seconds') && !/license|tls/.test(name)

const writes = async (url: string, series: readonly Buffer[]): Promise<void> => {
  const most = 500
  for (let from = 0; from < series.length; from += most)
    await remoteWrite(url, series.slice(from, from + most))
}

/** Writes what Prometheus would have scraped from each exporter of the course. */
async function writeScrapes(
  url: string,
  system: string,
  course: Course,
  series: SeriesOfCourse,
): Promise<void> {
  const parsed = [...series].map(([key, values]) => {
    const [{ name, labels } = { name: '', labels: {} }] = parseExposition(`${key} 0`)
    return { name, labels, values, moves: movesOn(name) }
  })
  const instances = new Set(
    Array.from({ length: stepsOf(course) }, (_, step) => exportersAt(course, step)).flat(),
  )
  for (const instance of instances) {
    const scraped = (step: number) => exportersAt(course, step).includes(instance)
    for (let day = 0; day < stepsOf(course) / STEPS_PER_DAY; day++) {
      const steps = Array.from({ length: STEPS_PER_DAY }, (_, index) => day * STEPS_PER_DAY + index).filter(
        scraped,
      )
      const encoded = parsed.flatMap(({ name, labels, values, moves }) => {
        const present = steps.filter((step) => !Number.isNaN(values[step]))
        if (present.length === 0) return []
        const own = encodeLabels({ ...labels, system, __name__: name, job: 'sds-exporter', instance })
        return [encoderOf(present)(own, (ms) => valueAt(values, moves, ms))]
      })
      await writes(url, encoded)
    }
  }
}

const encoders = new Map<string, ReturnType<typeof seriesEncoder>>()

function encoderOf(steps: readonly number[]): ReturnType<typeof seriesEncoder> {
  const key = steps.join()
  const known = encoders.get(key) ?? seriesEncoder(steps.flatMap(timesOf))
  encoders.set(key, known)
  return known
}

const timesOf = (step: number): number[] =>
  Array.from({ length: STEP / SCRAPE }, (_, index) => (START + step * STEP + index * SCRAPE) * 1000)

function valueAt(values: Float64Array, moves: boolean, ms: number): number {
  const since = ms / 1000 - START
  const step = Math.floor(since / STEP)
  return (values[step] ?? 0) + (moves ? since - step * STEP : 0)
}

/** The results of the recording rules, at the times of the readings. */
async function record(prometheus: Prometheus, end: number): Promise<void> {
  for (const { record: name, expr } of resolve(RECORDINGS, DEFAULT_VALUES)) {
    const encoded = (await prometheus.queryRange(expr, START, end, STEP)).map(({ metric, values }) => {
      const points = new Map(values.map(([time, value]) => [time * 1000, value]))
      const encoder = seriesEncoder([...points.keys()])
      return encoder(encodeLabels({ ...metric, __name__: name }), (ms) => points.get(ms) ?? 0)
    })
    await writes(prometheus.url, encoded)
  }
}
