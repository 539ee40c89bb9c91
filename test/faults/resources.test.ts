import { describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import type { Status } from '../../src/status/model.ts'
import { startEmulator } from '../api/client_setup.ts'
import { examine, MONITOR } from '../commands/doctor/doctor_setup.ts'
import { get } from '../support/http.ts'
import { waitFor } from '../support/wait.ts'
import { type ExporterSetup, startExporter } from './exporter_setup.ts'

/** Everything every second, and five requests of resources in a second at least. */
const EVERY_SECOND = '{schedule: "* * * * * *"}'
const RESOURCES = ['system', 'replication', 'namespaces', 'quotas', 'inventory']
const YAML = [
  'poll: {schedule: "* * * * * *", max_random_delay: 0s, stale_after: 10m}',
  'performance: {schedule: "* * * * * *"}',
  'discovery: {schedule: "* * * * * *"}',
  'forecast: {schedule: ""}',
  'providers: {schedule: ""}',
  'limits: {requests_per_second: 1000}',
  `resources: {${RESOURCES.map((name) => `${name}: ${EVERY_SECOND}`).join(', ')}}`,
].join('\n')

async function start(options: EmulatorOptions) {
  const emulator = await startEmulator({ profile: 'modern', pools: 2, nodes: 2, namespaces: 12, ...options })
  const setup = await startExporter(
    `systems: [{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}]\n${YAML}`,
  )
  return {
    ...setup,
    emulator,
    [Symbol.asyncDispose]: async () => {
      await setup.exporter.stop()
      await emulator.stop()
    },
  }
}

/** The values of a family by one label. */
async function valuesOf({ scrape }: Pick<ExporterSetup, 'scrape'>, family: string, label: string) {
  const found = (await scrape()).filter(({ name }) => name === family)
  return Object.fromEntries(found.map(({ labels, value }) => [labels[label] ?? '', value]))
}

async function stateOf({ exporter }: ExporterSetup, resource: string) {
  const { text } = await get(`${exporter.url}/api/v1/status`)
  const { systems } = JSON.parse(text) as Status
  return systems[0]?.resources.find(({ name }) => name === resource)
}

const REFUSALS = [
  ['404', 'not_found'],
  ['405', 'not_found'],
  ['501', 'not_found'],
  ['403,code=3000', 'forbidden'],
  ['500,code=6401,retryable=false', 'forbidden'],
] as const

/** The operations of the emulator with which a resource begins. */
const TARGETS = {
  system: ['system'],
  replication: ['replication_groups', 'failed_links', 'bootstrap_links'],
  namespaces: ['namespaces'],
  inventory: ['vdc_nodes', 'license'],
} as const

/** Each resource with one refusal, and one resource with each. */
const REFUSED = [
  ...(Object.keys(TARGETS) as (keyof typeof TARGETS)[]).map(
    (resource) => [resource, ...REFUSALS[0]] as const,
  ),
  ...REFUSALS.slice(1).map((refusal) => ['namespaces', ...refusal] as const),
]

describe('a resource that is refused', () => {
  test.each(REFUSED)('%s with %s', async (resource, status, reason) => {
    const faults = TARGETS[resource].map((operation) => `status:${status}@${operation}`)
    await using setup = await start({ faults })
    const others = ['pools', ...RESOURCES, 'system_queries'].filter((name) => {
      // Without the list of namespaces there are no quotas.
      return name !== resource && !(resource === 'namespaces' && name === 'quotas')
    })
    await waitFor(
      async () => {
        const up = await valuesOf(setup, 'sds_resource_up', 'resource')
        const available = await valuesOf(setup, 'sds_resource_available', 'resource')
        return available[resource] === 0 && others.every((name) => up[name] === 1)
      },
      { what: 'the readings of all resources' },
    )
    expect(await valuesOf(setup, 'sds_resource_up', 'resource')).not.toHaveProperty(resource)
    expect(await valuesOf(setup, 'sds_pool_up', 'pool_id')).toEqual(
      Object.fromEntries(setup.emulator.pools.map(({ id }) => [id, 1])),
    )
    expect(await stateOf(setup, resource)).toMatchObject({ state: 'unavailable', error: { reason } })
    const { remedy = '' } = (await stateOf(setup, resource))?.error ?? {}
    expect(remedy).toContain(`resources.${resource}.schedule: ""`)
    expect((await get(setup.exporter.url)).text).toContain(resource)
    const doctor = await examine({ base_url: setup.emulator.url, auth: MONITOR })
    const finding = doctor.of('resources').find(({ subject }) => subject === resource)
    expect(finding).toMatchObject({ status: 'info', remedy })
  })
})

describe('a request that fails while others of its resource are answered', () => {
  test.each([
    ['inventory', 'status:500,code=7000@license', 'sds_node_software_info', 'server_error'],
    ['inventory', 'status:401,code=4000@license', 'sds_node_software_info', 'auth'],
    [
      'replication',
      'status:500,code=7000@bootstrap_links',
      'sds_replication_group_pending_bytes',
      'server_error',
    ],
  ])(
    'is on page, log and metric, and the others are exported: %s, %s',
    async (resource, fault, family, reason) => {
      await using setup = await start({ faults: [fault] })
      const up = async () => (await valuesOf(setup, 'sds_resource_up', 'resource'))[resource]
      await waitFor(async () => (await up()) === 0, { what: `a part of ${resource} that fails` })
      expect((await setup.scrape()).some(({ name }) => name === family)).toBe(true)
      expect(await stateOf(setup, resource)).toMatchObject({ state: 'partial', error: { reason } })
      expect((await get(setup.exporter.url)).text).toContain('a part could not be read')
      const failed = setup.log.filter(({ message }) => message.startsWith(`resource ${resource}: GET `))
      expect(failed).toMatchObject([{ level: 'warn', fields: { reason } }])
    },
  )
})

describe('a list of which a page fails', () => {
  test.each(['page-error@namespaces', 'repeated-marker@namespaces'])('%s replaces nothing', async (fault) => {
    // More than one page.
    await using setup = await start({ namespaces: 501 })
    const used = () => valuesOf(setup, 'sds_namespace_used_bytes', 'namespace')
    await waitFor(async () => Object.keys(await used()).length === 500, { what: 'all namespaces' })
    setup.emulator.setFaults([fault])
    await waitFor(async () => (await stateOf(setup, 'namespaces'))?.state === 'failing', {
      what: 'a reading that fails',
    })
    expect(Object.keys(await used())).toHaveLength(500)
    expect(await valuesOf(setup, 'sds_resource_objects', 'state')).toBeDefined()
  })
})

describe('the queries about the whole system', () => {
  const tables = (setup: ExporterSetup) => valuesOf(setup, 'sds_system_directory_tables_by_state', 'state')
  const lags = (setup: ExporterSetup) =>
    valuesOf(setup, 'sds_replication_group_lag_seconds', 'replication_group')

  test('export directory tables, and the lag under the names of the groups', async () => {
    await using setup = await start({ scenario: 'site-down', faults: ['unready-tables:3'] })
    await waitFor(async () => (await lags(setup))['rg-geo'] !== undefined, { what: 'the lag of a group' })
    expect(await setup.value('sds_system_directory_tables', {})).toBe(4 * 384)
    expect(await tables(setup)).toEqual({ unready: 3, unknown: 0 })
    const groups = Object.keys(await valuesOf(setup, 'sds_replication_group_sites', 'replication_group'))
    expect(groups).toEqual(expect.arrayContaining(Object.keys(await lags(setup))))
    expect((await lags(setup))['rg-passive']).toBe(0)
  })

  test('that the system refuses change nothing of the performance queries', async () => {
    await using setup = await start({ faults: ['measurement-error:dtquery_dt_status'] })
    await waitFor(async () => (await stateOf(setup, 'system_queries'))?.state === 'partial', {
      what: 'a query that fails',
    })
    await waitFor(async () => (await setup.value('sds_system_query_up', {})) === 1, {
      what: 'the performance queries',
    })
    expect(await stateOf(setup, 'system_queries')).toMatchObject({ error: { reason: 'server_error' } })
    expect(Object.values(await valuesOf(setup, 'sds_pool_up', 'pool'))).toEqual([1, 1])
  })

  test('are not available without the role, or without the interface', async () => {
    await using setup = await start({ faults: ['query-error:role'] })
    await waitFor(async () => (await stateOf(setup, 'system_queries'))?.state === 'unavailable', {
      what: 'a refused query',
    })
    expect(await stateOf(setup, 'system_queries')).toMatchObject({ error: { reason: 'forbidden' } })
    setup.emulator.setFaults([])
  })

  test('are not sent while the feed has the performance figures', async () => {
    await using setup = await start({ profile: 'classic' })
    await waitFor(async () => (await valuesOf(setup, 'sds_resource_up', 'resource'))['inventory'] === 1, {
      what: 'the other resources',
    })
    expect(await stateOf(setup, 'system_queries')).toMatchObject({ state: 'off', error: null })
    expect(setup.emulator.log.count('query')).toBe(0)
  })
})
