import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { pollEverySecond, startWithEmulator } from '../faults/exporter_setup.ts'
import { readText } from '../repository/repository.ts'
import { getJson } from '../support/http.ts'
import { startPrometheus } from '../support/programs/prometheus.ts'
import { startVictoriaMetrics } from '../support/programs/victoria_metrics.ts'
import { waitFor } from '../support/wait.ts'
import { startMimir, startThanos } from './clusters.ts'
import { startHeaderProxy } from './header_proxy.ts'

const RULES = ['deploy/prometheus/rules/sds-alerts.yml', 'deploy/prometheus/rules/sds-recording.yml']
const TENANT = 'storage'
/** The series of the exporter and those that the rules record. */
const SERIES = '{__name__=~"sds_.+|sds:.+|system.*:sds_.+"}'
const POLLED = '{__name__=~"sds_node_disks|sds_node_health_status|sds_node_disk_space_total_bytes"}'

/** Samples are sent every few seconds, and rules record for the first time after some. */
const STORED_MS = 120_000

interface Store extends AsyncDisposable {
  readonly writeUrl: string
  readonly queryUrl: string
  readonly tenantHeader?: string
}

async function victoriaMetrics(): Promise<Store> {
  const store = await startVictoriaMetrics()
  return { ...store, queryUrl: store.url, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

type Result = readonly {
  readonly metric: Readonly<Record<string, string>>
  readonly value: [number, string]
}[]

/** An instant query of a store, of the tenant. @throws with its message if it refuses the query */
async function query({ queryUrl, tenantHeader }: Store, promql: string): Promise<Result> {
  const headers = tenantHeader === undefined ? {} : { [tenantHeader]: TENANT }
  const answer = await getJson(`${queryUrl}/api/v1/query?${new URLSearchParams({ query: promql })}`, headers)
  return (answer as { data: { result: Result } }).data.result
}

/** Number of series by name. */
async function countsIn(store: Store): Promise<ReadonlyMap<string, number>> {
  const result = await query(store, `count by (__name__) (${SERIES})`)
  return new Map(result.map(({ metric, value }) => [metric['__name__'] ?? '', Number(value[1])]))
}

/** Names with another number of series in the store. */
const differencesOf = (here: ReadonlyMap<string, number>, there: ReadonlyMap<string, number>): string[] =>
  [...here]
    .filter(([name, count]) => there.get(name) !== count)
    .map(([name, count]) => `${name}: ${there.get(name)} of ${count}`)

/** Values by series, without the labels that a store adds. */
async function valuesIn(store: Store): Promise<ReadonlyMap<string, number>> {
  const result = await query(store, POLLED)
  return new Map(
    result.map(({ metric: { tenant_id: _tenant, ...labels }, value }) => [
      JSON.stringify(Object.entries(labels).toSorted()),
      Number(value[1]),
    ]),
  )
}

/** Exporter, Prometheus with the rules, and remote write while all of them run. */
test.each([
  ['Thanos', startThanos],
  ['Mimir', startMimir],
  ['VictoriaMetrics', victoriaMetrics],
] as const)(
  '%s has the series and recorded values of Prometheus, and evaluates all rules',
  async (_, start) => {
    await using store: Store = await start()
    await using setup = await startWithEmulator({ profile: 'modern' }, pollEverySecond())
    const { host } = new URL(setup.exporter.url)
    const headers = store.tenantHeader === undefined ? {} : { [store.tenantHeader]: TENANT }
    await using receiver = await startHeaderProxy(store.writeUrl, headers)
    await using prometheus = await startPrometheus({
      ruleFiles: RULES,
      config: {
        global: {
          scrape_interval: '2s',
          scrape_timeout: '2s',
          evaluation_interval: '2s',
          external_labels: { prometheus: 'a' },
        },
        scrape_configs: [{ job_name: 'sds-exporter', static_configs: [{ targets: [host] }] }],
        remote_write: [{ url: receiver.url }],
      },
    })
    const own: Store = {
      writeUrl: '',
      queryUrl: prometheus.url,
      [Symbol.asyncDispose]: async () => undefined,
    }
    await prometheus.waitForSamples('system_pool:sds_node_disk_space_total_bytes:sum')
    let differences: readonly string[] = []
    await waitFor(
      async () => {
        differences = differencesOf(...(await Promise.all([countsIn(own), countsIn(store)])))
        return differences.length === 0
      },
      {
        what: 'the series of Prometheus in the store',
        timeout: STORED_MS,
        interval: 1000,
        detail: () => `${differences.join('\n')}\n${prometheus.log().slice(-1000)}`,
      },
    )
    const expected = [...(await valuesIn(own))].map(([series, value]) => [
      JSON.stringify([...(JSON.parse(series) as [string, string][]), ['prometheus', 'a']].toSorted()),
      value,
    ])
    expect(expected.length).toBeGreaterThan(10)
    expect([...(await valuesIn(store))].toSorted()).toEqual(expected.toSorted())
    const groups = RULES.flatMap((file) => parse(readText(file)).groups as { rules: { expr: string }[] }[])
    for (const { expr } of groups.flatMap(({ rules }) => rules)) await query(store, expr)
  },
)
