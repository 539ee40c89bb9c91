import { expect, test } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import type { Status } from '../../src/status/status.ts'
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

const isUp = (setup: ExporterSetup) => valuesOf(setup, 'sds_resource_up', 'resource')

test('a resource that is refused, one that fails in part, and a query that fails leave the others alone', async () => {
  const faults = [
    'status:404@namespaces',
    'status:500,code=7000@license',
    'measurement-error:dtquery_dt_status',
  ]
  await using setup = await start({ faults })
  await waitFor(
    async () => {
      const available = await valuesOf(setup, 'sds_resource_available', 'resource')
      const up = await isUp(setup)
      const others = ['pools', 'system', 'replication'].every((name) => up[name] === 1)
      return available['namespaces'] === 0 && up['inventory'] === 0 && others
    },
    { what: 'the readings of all resources' },
  )
  expect(await isUp(setup)).not.toHaveProperty('namespaces')
  expect(await stateOf(setup, 'namespaces')).toMatchObject({
    state: 'unavailable',
    error: { reason: 'not_found' },
  })
  const { remedy = '' } = (await stateOf(setup, 'namespaces'))?.error ?? {}
  expect(remedy).toContain('resources.namespaces.schedule: ""')
  const doctor = await examine({ base_url: setup.emulator.url, auth: MONITOR })
  const finding = doctor.of('resources').find(({ subject }) => subject === 'namespaces')
  expect(finding).toMatchObject({ status: 'info', remedy })

  expect((await setup.scrape()).some(({ name }) => name === 'sds_node_software_info')).toBe(true)
  const partial = { state: 'partial', error: { reason: 'server_error' } }
  expect(await stateOf(setup, 'inventory')).toMatchObject(partial)
  expect((await get(setup.exporter.url)).text).toContain('a part could not be read')
  const failed = setup.log.filter(({ message }) => message.startsWith('resource inventory: GET '))
  expect(failed).toMatchObject([{ level: 'warn', fields: { reason: 'server_error' } }])

  await waitFor(async () => (await stateOf(setup, 'system_queries'))?.state === 'partial', {
    what: 'a query that fails',
  })
  await waitFor(async () => (await setup.value('sds_system_query_up', {})) === 1, {
    what: 'the performance queries',
  })
  expect(await stateOf(setup, 'system_queries')).toMatchObject(partial)
  expect(Object.values(await valuesOf(setup, 'sds_pool_up', 'pool'))).toEqual([1, 1])
})

test('directory tables, and the lag under the names of the groups, come from queries', async () => {
  await using setup = await start({ scenario: 'site-down', faults: ['unready-tables:3'] })
  const lags = () => valuesOf(setup, 'sds_replication_group_lag_seconds', 'replication_group')
  await waitFor(async () => (await lags())['rg-geo'] !== undefined, { what: 'the lag of a group' })
  expect(await setup.value('sds_system_directory_tables', {})).toBe(4 * 384)
  expect(await valuesOf(setup, 'sds_system_directory_tables_by_state', 'state')).toEqual({
    unready: 3,
    unknown: 0,
  })
  const groups = Object.keys(await valuesOf(setup, 'sds_replication_group_sites', 'replication_group'))
  expect(groups).toEqual(expect.arrayContaining(Object.keys(await lags())))
  expect((await lags())['rg-passive']).toBe(0)
})
