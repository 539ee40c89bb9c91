import { expect, test } from 'vitest'
import type { Scenario } from '../../src/emulator/model/scenarios.ts'
import { PROFILES, type Profile } from '../../src/emulator/protocol/profiles.ts'
import { RESOURCE_NAMES } from '../../src/system_catalogue.ts'
import { startEmulator } from '../api/client_setup.ts'
import { startExporter } from '../faults/exporter_setup.ts'
import type { Sample } from '../metrics/exposition_text.ts'
import { get } from '../support/http.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitFor } from '../support/wait.ts'
import { type Captured, capture, LIMITS, SYSTEM, startReplay, systemAt } from './setup.ts'

/** Everything is read once, at the start. */
const ONCE = `"${neverSchedule()}"`
const BUCKETS = `resources: {buckets: {schedule: ${ONCE}}}`
const REST = `
poll: {schedule: ${ONCE}, max_random_delay: 0s, timeout: 60s}
forecast: {schedule: ${ONCE}}
performance: {schedule: ${ONCE}}
providers: {schedule: ${ONCE}}
${LIMITS}
${BUCKETS}
`
/** Labels with names and ids of the system. */
const NAME_LABELS = new Set(
  'pool pool_id node node_id rack address vdc namespace bucket replication_group replication_group_id local_vdc remote_vdc provider provider_id'.split(
    ' ',
  ),
)
/** What describes the exporter and its requests, and not the system. */
const OWN =
  /^(sds_api_|sds_exporter_|sds_build_|sds_config_|process_|nodejs_|scrape_|sds_history_)|_duration_seconds|_last_(success|attempt|poll)|_clock_skew_|_tls_|_polls_total|_login|_sessions?_|_up_timestamp|_next_|_age_/

/** The series of the system by name and labels. */
type Values = ReadonlyMap<string, number>

/** Reads everything once. */
async function exported(
  url: string,
  nameOf: (text: string) => string,
  isWithoutQueries: boolean,
): Promise<Values> {
  await using setup = await startExporter(`systems: [${systemAt(url)}]${REST}`)
  const detail = () => JSON.stringify(setup.log.slice(-5))
  await waitFor(async () => isAllRead(await setup.scrape(), isWithoutQueries), {
    what: 'all resources',
    interval: 100,
    detail,
  })
  // The nodes have the racks of an inventory that was read after their pool with the next poll only.
  await get(`${setup.exporter.url}/probe?system=${SYSTEM}`)
  let before = ''
  const series = await waitFor(
    async () => {
      const scraped = await setup.scrape()
      const now = JSON.stringify([...valuesOf(scraped, nameOf)])
      const isStable = now === before
      before = now
      return isStable && scraped
    },
    { what: 'stable values', interval: 100, detail },
  )
  return valuesOf(series, nameOf)
}

/** Whether each reading has ended. */
function isAllRead(series: readonly Sample[], isWithoutQueries: boolean): boolean {
  const names = new Set(
    series.flatMap(({ name, labels }) => [name, `${name} ${labels['resource'] ?? labels['operation']}`]),
  )
  const resources = RESOURCE_NAMES.filter(
    (resource) => resource !== 'data_nodes' && (resource !== 'system_queries' || !isWithoutQueries),
  )
  return (
    resources.every((resource) => names.has(`sds_resource_available ${resource}`)) &&
    ['forecast', 'providers'].every((operation) => names.has(`sds_api_requests_total ${operation}`)) &&
    (isWithoutQueries || names.has('sds_system_query_up'))
  )
}

function valuesOf(series: readonly Sample[], nameOf: (text: string) => string): Values {
  return new Map(
    series
      .filter(({ name, labels }) => labels['system'] !== undefined && !OWN.test(name))
      .map(({ name, labels, value }): [string, number] => {
        const named = Object.entries(labels).map(([label, text]) => [
          label,
          NAME_LABELS.has(label) ? nameOf(text) : text,
        ])
        return [`${name} ${JSON.stringify(named.toSorted())}`, value]
      })
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** The values that others do not have. */
function linesOf(values: Values, others: Values): string[] {
  return [...values].flatMap(([key, value]) => (others.get(key) === value ? [] : [`${key} ${value}`]))
}

const standInOf =
  ({ redactor }: Captured) =>
  (text: string) =>
    redactor.standIns.of(text, 'not-recorded')

/** Each profile, which decides about interfaces, and scenarios that change what there is. */
const COMBINATIONS: readonly (readonly [Profile, Scenario])[] = [
  ['documented', 'disk-failures'],
  ['classic', 'site-rejoin'],
  ['modern', 'node-down'],
  ['community', 'site-down'],
  ['classic', 'array-alerts'],
]

async function compare(profile: Profile, scenario: Scenario): Promise<void> {
  const clock = () => START
  const size = { pools: 2, nodes: 2, namespaces: 4, buckets: 2, sites: 2 }
  await using emulator = await startEmulator({ profile, scenario, clock, ...size })
  const captured = await capture(systemAt(emulator.url), { rest: `${LIMITS}\n${BUCKETS}` })
  await using replay = await startReplay(captured.recording, { clock })
  // The dashboard API has all values.
  const isWithoutQueries = PROFILES[profile].performance
  const [original, replayed] = [
    await exported(emulator.url, standInOf(captured), isWithoutQueries),
    await exported(replay.url, (text) => text, isWithoutQueries),
  ]
  expect(original.size).toBeGreaterThan(100)
  expect(linesOf(replayed, original)).toEqual(linesOf(original, replayed))
}

test.concurrent.each(COMBINATIONS)(
  '%s, %s: a replay exports the same values under the stand-in names',
  compare,
)

const START = Math.floor(Date.now() / 1000) * 1000
