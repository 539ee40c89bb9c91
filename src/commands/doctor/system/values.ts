import type { FeedReading } from '../../../api/feed/feed.ts'
import { pause } from '../../../api/http/waiting.ts'
import { createJoin, type MergedReading, mergePerformance } from '../../../api/query/merge.ts'
import type { Category, FeedBandwidthUnit } from '../../../catalogue.ts'
import { escapeLabelValue, labelText, type SampleSet } from '../../../metrics/lines.ts'
import { feedSamples, newestTimes } from '../../../metrics/samples.ts'
import { counted, durationText } from '../../../text.ts'
import { allOf, type Finding, type FindingRow, failed, firstOf } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'
import { readRaw } from './feed.ts'
import { FIGURES, type Figure, rawFigure, rawNodes } from './raw_figures.ts'

/** Reads every pool again and compares the response with the first one and with the exported values. */
export const valuesCheck = systemCheck({
  title: 'values',
  needs: ['client', 'feeds'],
  run: async ({ system, readingPauseMs, signal }, { client, feeds }) => {
    const last = Math.max(...feeds.map(({ readAt }) => readAt))
    await pause(Math.max(0, last + readingPauseMs - performance.now()), signal)
    const bandwidthUnit = system.performance.feedBandwidthUnit
    const source = { client, bandwidthUnit }
    const outcomes = await Promise.allSettled(feeds.map(({ pool }) => readRaw(source, pool, signal)))
    signal.throwIfAborted()
    return feeds.flatMap((first, index) => {
      const again = outcomes[index]
      if (again === undefined || first.reading.nodes.length === 0) return []
      if (again.status === 'rejected') return [failed(again.reason, { subject: first.label })]
      return [
        ...compareReadings(first, again.value.reading),
        compareExport({ ...again.value, label: first.label }, system.name, { bandwidthUnit }),
      ]
    })
  },
})

const REPORT = 'report this bug in sds-exporter with the response of the feed'
const RELATIVE_TOLERANCE = 1e-9
const MAX_EXAMPLES = 3

interface Comparison {
  readonly bandwidthUnit?: FeedBandwidthUnit
  /** The samples of the reading, for tests. */
  readonly samples?: SampleSet
}

/** Compares values of the feed that are calculated independently of the decoder with the exported samples. */
export function compareExport(
  { body, reading, pool, label }: Pick<RawFeed, 'body' | 'reading' | 'pool' | 'label'>,
  system: string,
  { bandwidthUnit = 'MB/s', samples }: Comparison = {},
): Finding {
  const exported = createLookup(samples ?? feedSamples(reading, { system, poolId: pool.id, pool: label }))
  const nodes = rawNodes(body)
  const known = [...nodes].filter(([id]) => exported.has(id))
  const compared = FIGURES.flatMap((figure) =>
    known.map(([id, node]) => ({
      what: `${figure.metric} of node ${id}`,
      expected: rawFigure(node, figure, bandwidthUnit),
      found: exported.value(id, figure.metric, figure.labels),
    })),
  )
  const examples = compared
    .filter(({ expected, found }) => !isSame(expected, found))
    .slice(0, MAX_EXAMPLES)
    .map(
      ({ what, expected = 'nothing', found = 'nothing' }) =>
        `${what} is exported as ${found}, not ${expected}`,
    )
  if (nodes.size !== exported.nodes)
    examples.unshift(`of ${counted(nodes.size, 'node')} ${exported.nodes} are exported`)
  const count = compared.filter(({ expected }) => expected !== undefined).length
  const text = `${counted(count, 'figure')} of ${counted(known.length, 'node')}, calculated independently, match /metrics`
  return firstOf(label, [[examples.length > 0, 'fail', examples.join('; '), REPORT]], 'ok', text)
}

function createLookup(samples: SampleSet) {
  const values = new Map(
    [...samples].flatMap(([metric, list]) =>
      list.map(({ labels, value }) => [`${metric}{${labels}}`, value] as const),
    ),
  )
  const nodes = new Map(
    (samples.get('sds_node_info') ?? []).map(({ labels }) => {
      // Quotes in label values are escaped, so these separators are not part of a value.
      const [node = '', id = ''] = labels.split(/,node_id="|",pool_id="/)
      return [id, node] as const
    }),
  )
  const nodeOf = (id: string) => nodes.get(escapeLabelValue(id))
  return {
    nodes: nodes.size,
    has: (id: string) => nodeOf(id) !== undefined,
    value: (id: string, metric: string, labels: Figure['labels']) =>
      values.get(`${metric}{${nodeOf(id)}${Object.keys(labels).length > 0 ? ',' : ''}${labelText(labels)}}`),
  }
}

function isSame(expected: number | undefined, found: number | undefined): boolean {
  if (expected === undefined || found === undefined) return expected === found
  return Math.abs(expected - found) <= RELATIVE_TOLERANCE * Math.max(Math.abs(expected), Math.abs(found))
}

/** Between two readings, the value of a sample must not change and its time must not decrease. */
export function compareReadings(
  { label: subject, reading: first }: Pick<RawFeed, 'label' | 'reading'>,
  second: FeedReading,
): Finding[] {
  const before = new Map(first.nodes.map((node) => [node.id, node]))
  let [rewritten, backwards] = [0, 0]
  for (const { id, values } of second.nodes) {
    for (const [name, now] of values) {
      const then = before.get(id)?.values.get(name)
      if (then === undefined) continue
      if (now.t < then.t) backwards += 1
      if (now.t === then.t && now.value !== then.value) rewritten += 1
    }
  }
  const remaining = new Set(second.nodes.map(({ id }) => id))
  const missing = first.nodes.filter(({ id }) => !remaining.has(id))
  return allOf(subject, [
    [
      missing.length > 0,
      'warn',
      `${counted(missing.length, 'node')} disappeared between two responses`,
      SEE_NODES,
    ],
    [
      backwards > 0,
      'warn',
      `${counted(backwards, 'sample')} went back in time between two responses`,
      SYNCHRONIZE,
    ],
    [rewritten > 0, 'warn', `${counted(rewritten, 'value')} changed without a new time`, UNRELIABLE],
  ])
}

const SEE_NODES = 'check with sds-exporter nodes whether nodes disappear repeatedly'
const UNRELIABLE = 'compare with the management interface: the sample times of this system are not reliable'

/** Three statistics intervals of 5 minutes. */
export const OLD_SECONDS = 900
/** Tolerance for clock differences between nodes. */
const FUTURE_SECONDS = 60

/** Checks the age of the newest sample of each category, by the clock of the system. */
export const agesCheck = systemCheck({
  title: 'samples',
  needs: ['feeds', 'performance', 'skewSeconds'],
  run: (_, { feeds, performance, skewSeconds }) => {
    const now = Date.now() / 1000 + skewSeconds
    const readings = feeds.map(({ reading }) => reading)
    const find = performance === null ? undefined : createJoin(performance.reading.nodes, readings)
    const merged = feeds.map(({ label, reading }) => ({ label, reading: mergePerformance(reading, find) }))
    return merged.flatMap((feed) => agesOf(feed, now))
  },
})

function agesOf(
  { label: subject, reading }: { label: string; reading: MergedReading },
  now: number,
): Finding[] {
  const newest = [...newestOf(reading)]
  const age = (t: number) => Math.round(now - t)
  const unusual = newest.filter(([, t]) => age(t) > OLD_SECONDS || age(t) < -FUTURE_SECONDS)
  const ages = newest.map(([category, t]) => `${category} ${durationText(Math.max(age(t), 0))}`).join(', ')
  const isUsual = newest.length > 0 && unusual.length === 0
  return allOf(subject, [
    [isUsual, 'ok', `age of the newest sample: ${ages}`],
    ...unusual.map(([category, t]) => ageWarning(category, t, age(t))),
  ])
}

function ageWarning(category: Category, t: number, age: number): FindingRow {
  const state = `${durationText(Math.abs(age))} ${age < 0 ? 'in the future' : 'old'}`
  const text = `${category} is ${state}: the newest sample is from ${new Date(t * 1000).toISOString()}`
  return [true, 'warn', text, age < 0 ? SYNCHRONIZE : NOT_UPDATED]
}

const SYNCHRONIZE = 'correct time synchronisation (NTP) between the nodes of the system'
const NOT_UPDATED =
  'the system does not update its statistics: compare with its management interface, and contact support'

/** The newest sample time of all nodes, by category. */
function newestOf({ nodes }: MergedReading): ReadonlyMap<Category, number> {
  const newest = new Map<Category, number>()
  for (const [category, t] of nodes.flatMap((node) => [...newestTimes(node)])) {
    newest.set(category, Math.max(t, newest.get(category) ?? t))
  }
  return newest
}
