import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Profile } from '../../src/emulator/protocol/profiles.ts'
import { type ExporterSetup, pollEverySecond, startExporter } from '../faults/exporter_setup.ts'
import type { Sample } from '../metrics/exposition_text.ts'
import { get } from '../support/http.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'
import { waitFor, waitForAssertion } from '../support/wait.ts'

/** One exporter with a system of each profile, which all have the same nodes, load and clock. */
const PROFILES = ['classic', 'modern', 'range-defect', 'community'] as const satisfies readonly Profile[]
const [POOLS, NODES] = [2, 3]
const INTERVAL_MS = 300_000
/** At the end of an interval, when the newest points of all nodes are of the interval that the feed has. */
const START = Date.parse('2026-03-11T12:34:59Z')

let clock = START
let emulators: Emulator[]
let setup: ExporterSetup

beforeAll(async () => {
  const options = { pools: POOLS, nodes: NODES, listenAddress: '127.0.0.1:0', clock: () => clock }
  emulators = PROFILES.map((profile) => createEmulator({ ...options, profile }))
  for (const emulator of emulators) await emulator.start()
  const systems = PROFILES.map((name, index) => ({
    name,
    base_url: emulators[index]?.url,
    auth: { username: 'monitor', password: 'emulator' },
  }))
  const performance = 'performance: {schedule: "* * * * * *"}'
  setup = await startExporter(`systems: ${JSON.stringify(systems)}${pollEverySecond()}${performance}`)
})
afterAll(async () => {
  await setup?.exporter.stop()
  for (const emulator of emulators ?? []) await emulator.stop()
})

const ofSystem = (series: readonly Sample[], system: string) =>
  series.filter(({ labels }) => labels['system'] === system)

/** The families of nodes, without the ends of histogram names. */
function familiesOf(series: readonly Sample[]): Set<string> {
  return new Set(
    series.map(({ name }) => name.replace(/_bucket$/, '')).filter((name) => name.startsWith('sds_node_')),
  )
}

/** The values of a system by name and labels, without the label `system`. */
function valuesOf(series: readonly Sample[]): Map<string, number> {
  return new Map(
    series.map(({ name, labels: { system: _, ...labels }, value }) => [
      `${name} ${JSON.stringify(Object.entries(labels).toSorted())}`,
      value,
    ]),
  )
}

/** Waits until a system has its newest figures, with rates, and its software; fails with the last scrape. */
async function scrapeWith(...systems: readonly string[]): Promise<Sample[]> {
  return waitFor(
    async () => {
      const series = await setup.scrape()
      const isComplete = (system: string) => {
        const found = ofSystem(series, system)
        const count = (name: string) => found.filter((one) => one.name === name).length
        const hasVersions = count('sds_node_software_info') > 0
        return hasVersions && count('sds_node_transaction_reads_per_second') === POOLS * NODES
      }
      return systems.every(isComplete) ? series : undefined
    },
    { what: `the rates of ${systems.join(' and ')}` },
  )
}

const LATENCY_MEANS = [
  'sds_node_transaction_read_latency_seconds',
  'sds_node_transaction_write_latency_seconds',
]
const QUERY_ONLY = [
  'sds_node_nic_interface_received_bytes_per_second',
  'sds_node_nic_interface_transmitted_bytes_per_second',
  'sds_node_transaction_latency_seconds',
]

test('both sources have the same families, except those of latency and single interfaces', async () => {
  const series = await scrapeWith('classic', 'modern')
  const [classic, modern] = ['classic', 'modern'].map((system) => familiesOf(ofSystem(series, system)))
  expect([...(classic ?? [])].filter((name) => !modern?.has(name)).toSorted()).toEqual(LATENCY_MEANS)
  expect([...(modern ?? [])].filter((name) => !classic?.has(name)).toSorted()).toEqual(QUERY_ONLY)
})

/** The feed has three decimals in MB/s and percent, and counters are whole numbers. */
const ROUNDING: readonly (readonly [RegExp, number])[] = [
  [/_bytes_per_second /, 1_100],
  [/_(reads|writes)_per_second /, 0.006],
  [/_ratio /, 0.000_02],
]
/**
 * Times of samples, attributes with labels of their own in each source, and the utilization of both directions: the feed
 * adds them, and the Flux API has the busier one.
 */
const NOT_COMPARED = /^sds_node_(sample_timestamp|info|transaction_errors_by_type|nic_utilization_ratio)/

function expectAgreement(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let compared = 0
  for (const [key, value] of one) {
    const found = other.get(key)
    if (found === undefined || !key.startsWith('sds_node_') || NOT_COMPARED.test(key)) continue
    const rounding = ROUNDING.find(([pattern]) => pattern.test(key))?.[1] ?? 0
    expect(Math.abs(found - value), `${key}: ${value} and ${found}`).toBeLessThanOrEqual(rounding)
    compared++
  }
  return compared
}

/** Performance attributes of both sources, and those of capacity and disks. */
const LEAST_FIGURES = 40 * POOLS * NODES

test('both sources have the same values, within their rounding', async () => {
  const series = await scrapeWith('classic', 'modern')
  const [classic, modern] = ['classic', 'modern'].map((system) => valuesOf(ofSystem(series, system)))
  expect(expectAgreement(classic ?? new Map(), modern ?? new Map())).toBeGreaterThan(LEAST_FIGURES)
})

test('a release with wrong ranges has the same values from the second point on', async () => {
  await waitForAssertion(async () => {
    const before = familiesOf(ofSystem(await setup.scrape(), 'range-defect'))
    expect(before).toContain('sds_node_cpu_utilization_ratio')
    expect(before).not.toContain('sds_node_transaction_reads_per_second')
  })
  clock = START + INTERVAL_MS
  await waitForAssertion(async () => {
    const series = await scrapeWith('classic', 'range-defect')
    const [classic, defect] = ['classic', 'range-defect'].map((system) => valuesOf(ofSystem(series, system)))
    expect(expectAgreement(classic ?? new Map(), defect ?? new Map())).toBeGreaterThan(LEAST_FIGURES)
  })
})

/** The first performance query and the two queries about the system, three requests each. */
const COMMUNITY_QUERIES = 3 * (1 + 2)

test('a Community Edition has no performance figures, few requests and one line in the log', async () => {
  const series = ofSystem(await scrapeWith('modern'), 'community')
  expect(series.filter(({ name }) => name === 'sds_system_query_up').map(({ value }) => value)).toEqual([0])
  const families = familiesOf(series)
  expect(families).toContain('sds_node_disk_space_free_bytes')
  expect([...families].filter((name) => /cpu|memory|nic|transaction|disk_(read|write)/.test(name))).toEqual(
    [],
  )
  const [, modern, , community] = emulators
  // The others are asked every second, with seven queries.
  await waitFor(
    () =>
      (modern?.log.count('query') ?? 0) >= 42 && (community?.log.count('query') ?? 0) >= COMMUNITY_QUERIES,
    { what: 'six polls of the Flux API' },
  )
  expect(community?.log.count('query')).toBe(COMMUNITY_QUERIES)
  const lines = setup.log.filter(({ level, fields }) => level !== 'info' && fields['system'] === 'community')
  expect(lines).toHaveLength(1)
  expect(JSON.stringify(lines)).toContain('Community Edition')
  const { text } = await get(`${setup.exporter.url}/`)
  expect(text).toContain('<dt>Flux API</dt><dd>not there')
})
