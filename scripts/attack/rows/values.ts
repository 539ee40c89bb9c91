import { readFileSync, writeFileSync } from 'node:fs'
import { ATTRIBUTES, UNITS } from '../../../src/catalogue.ts'
import { pause } from '../clients.ts'
import { gzipResponse, jsonResponse, type Responder } from '../hostile_system.ts'
import { requestPage } from '../requests.ts'
import { type Findings, OTHER, type Row, type Target } from '../row.ts'

/** The samples of a page. @returns the empty text unless the status is 200 */
async function textOf(target: Target, path: string): Promise<string> {
  const { status, text } = await requestPage(target, path)
  return status === 200 ? text() : ''
}

function feedOf(members: Readonly<Record<string, unknown>>): string {
  const node = { id: 'n1', displayName: 'n1', healthStatus: 'Good', ...members }
  return JSON.stringify({ _embedded: { _instances: [node] } })
}

/** A time in microseconds. */
const MICROSECONDS = 1e17

/** Every attribute, with a value or a time that no system can have. */
function implausibleFeed(): string {
  const t = Math.floor(Date.now() / 1000)
  const members = ATTRIBUTES.map(({ name, tag, unit }, index) => [
    `${name}Current`,
    [index % 2 === 0 ? { t, [tag]: 2 * UNITS[unit].max } : { t: MICROSECONDS, [tag]: 1 }],
  ])
  return feedOf({ numDisks: '1.5', ...Object.fromEntries(members) })
}

const SECONDS = 6

async function implausible(target: Target, signal: AbortSignal): Promise<Findings> {
  target.hostile().use({ nodes: jsonResponse(implausibleFeed()) })
  await pause(SECONDS * 1000, signal)
  const page = await textOf(target, '/metrics')
  const families = new Set(ATTRIBUTES.map(({ family }) => family))
  const exported = [...page.matchAll(new RegExp(`^(\\w+)\\{system="${OTHER}".*\\} (?!0$)\\S+$`, 'gm'))]
  const values = exported.filter(([, family = '']) => families.has(family))
  const rejected = (reason: string) =>
    [...page.matchAll(new RegExp(`^sds_api_rejected_values_total\\{.*reason="${reason}"\\} (\\d+)$`, 'gm'))]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0)
  const counts = { range: rejected('range'), time: rejected('time') }
  return {
    note: `rejected: ${counts.range} values, ${counts.time} times`,
    problems: [
      ...(values.length === 0 ? [] : [`${values.length} values were exported`]),
      ...(counts.range > 0 && counts.time > 0 ? [] : ['the values were not counted']),
    ],
  }
}

const INTERVAL_SECONDS = 10
const WINDOW_SECONDS = 3600
const POINTS_PER_SECOND = 10

/** Responders a request for history with ten points a second. */
const dense: Responder = (incoming, response) => {
  const parameters = new URL(incoming.url ?? '', 'http://system').searchParams
  if (parameters.get('dataType') !== 'historical') return jsonResponse(feedOf({}))(incoming, response)
  const [start, end] = ['startTime', 'endTime'].map((name) => Number(parameters.get(name)))
  const count = ((end ?? 0) - (start ?? 0)) * POINTS_PER_SECOND
  const points = Array.from({ length: count }, (_, index) => ({
    t: (start ?? 0) + index / POINTS_PER_SECOND,
    Percent: 50,
  }))
  gzipResponse(feedOf({ nodeCpuUtilization: points, nodeMemoryUtilization: points }))(incoming, response)
}

/** A reload enables /history, so that it is read at once. */
async function denseHistory(target: Target, signal: AbortSignal): Promise<Findings> {
  target.hostile().use({ nodes: dense })
  const history = `history: {enabled: true, interval: ${INTERVAL_SECONDS}s, window: ${WINDOW_SECONDS}s}\n`
  writeFileSync(target.configFile, readFileSync(target.configFile, 'utf8') + history)
  process.kill(target.pid, 'SIGHUP')
  let page = ''
  while (!signal.aborted) {
    await pause(1000, signal)
    page = await textOf(target, `/history?system=${OTHER}`)
  }
  const counts = new Map<string, number>()
  for (const [, series = ''] of page.matchAll(/^(sds_node_\w+\{.*\}) \S+ \d+$/gm))
    counts.set(series, (counts.get(series) ?? 0) + 1)
  const most = Math.max(0, ...counts.values())
  return {
    note: `${counts.size} series of at most ${most} samples`,
    problems: [
      ...(counts.size > 0 ? [] : ['/history has no samples']),
      ...(most <= WINDOW_SECONDS / INTERVAL_SECONDS + 1 ? [] : [`a series has ${most} samples`]),
    ],
  }
}

/** One of two systems serves such values. */
export const VALUES: readonly Row[] = [
  {
    name: 'implausible-values',
    sent: 'values and times that no system can have',
    setup: { hostile: true, pollSeconds: 1 },
    seconds: SECONDS,
    attack: implausible,
  },
  {
    name: 'dense-history',
    sent: `history with ${POINTS_PER_SECOND} points a second, for an interval of ${INTERVAL_SECONDS} s`,
    setup: { hostile: true },
    seconds: 20,
    attack: denseHistory,
  },
]
