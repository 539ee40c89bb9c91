import { expect, test } from 'vitest'
import { SCENARIOS, type Scenario } from '../../src/emulator/model/scenarios.ts'
import { PROFILES, type Profile } from '../../src/emulator/protocol/profiles.ts'
import { RESOURCE_NAMES } from '../../src/system_catalogue.ts'
import { startEmulator } from '../api/client_setup.ts'
import { startExporter } from '../faults/exporter_setup.ts'
import type { Series } from '../metrics/exposition_text.ts'
import { waitFor } from '../support/wait.ts'
import { type Captured, capture, LIMITS, startReplay, systemAt } from './setup.ts'

/** Everything is read once, at the start. */
const ONCE = '"0 0 0 1 1 *"'
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
  'pool pool_id node node_id vdc namespace bucket replication_group replication_group_id local_vdc remote_vdc provider provider_id'.split(
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
  const series = await waitFor(
    async () => {
      const first = await setup.scrape()
      const names = new Set(
        first.flatMap(({ name, labels }) => [name, `${name} ${labels['resource'] ?? labels['operation']}`]),
      )
      const isRead =
        RESOURCE_NAMES.every(
          (resource) =>
            names.has(`sds_resource_available ${resource}`) ||
            (resource === 'system_queries' && isWithoutQueries),
        ) &&
        ['forecast', 'providers'].every((operation) => names.has(`sds_api_requests_total ${operation}`)) &&
        (names.has('sds_system_query_up') || isWithoutQueries)
      const second = await setup.scrape()
      const isStable =
        JSON.stringify([...valuesOf(first, nameOf)]) === JSON.stringify([...valuesOf(second, nameOf)])
      return isRead && isStable ? second : undefined
    },
    { what: 'all resources', detail: () => JSON.stringify(setup.log.slice(-5)) },
  )
  return valuesOf(series, nameOf)
}

function valuesOf(series: readonly Series[], nameOf: (text: string) => string): Values {
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

const COMBINATIONS = (Object.keys(PROFILES) as Profile[]).flatMap((profile) =>
  (Object.keys(SCENARIOS) as Scenario[]).map((scenario) => [profile, scenario] as const),
)

test.each(COMBINATIONS)(
  '%s, %s: a replay exports the same values under the stand-in names',
  async (profile, scenario) => {
    const clock = () => START
    const size = { pools: 2, nodes: 2, namespaces: 4, buckets: 2, sites: 2 }
    await using emulator = await startEmulator({ profile, scenario, clock, ...size })
    const captured = await capture(systemAt(emulator.url), { rest: `${LIMITS}\n${BUCKETS}` })
    await using replay = await startReplay(captured.recording, { clock })
    // The feed has all figures.
    const isWithoutQueries = PROFILES[profile].performance
    const [original, replayed] = [
      await exported(emulator.url, standInOf(captured), isWithoutQueries),
      await exported(replay.url, (text) => text, isWithoutQueries),
    ]
    expect(original.size).toBeGreaterThan(100)
    expect(linesOf(replayed, original)).toEqual(linesOf(original, replayed))
  },
)

const START = Math.floor(Date.now() / 1000) * 1000
