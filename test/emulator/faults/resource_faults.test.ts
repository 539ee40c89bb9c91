import { expect, test } from 'vitest'
import { call, type Json, startEmulator } from '../client.ts'
import { rowsOf, script } from '../query/client.ts'

/** Status and JSON of a path with faults, by default in profile modern with 30 namespaces. */
async function answer(path: string, faults: readonly string[], options = {}): Promise<[number, Json]> {
  const emulator = await startEmulator({ profile: 'modern', namespaces: 30, faults, ...options })
  const response = await call(emulator, path, { headers: { accept: 'application/json' } })
  return [response.status, response.json()]
}

const SECOND_PAGE = `/object/namespaces?limit=10&marker=${Buffer.from('10').toString('base64url')}`

test('page-error: the first page of a list is served, the second one fails', async () => {
  expect((await answer('/object/namespaces?limit=10', ['page-error']))[0]).toBe(200)
  expect(await answer(SECOND_PAGE, ['page-error'])).toMatchObject([500, { code: 999 }])
})

test('repeated-marker: the second page leads to itself', async () => {
  const [, page] = await answer(SECOND_PAGE, ['repeated-marker'])
  expect(SECOND_PAGE).toContain(page.NextMarker)
})

test('object-list: an object instead of a list, at the top level, in a wrapper and embedded', async () => {
  const [, nodes] = await answer('/vdc/nodes', ['object-list@vdc_nodes'])
  expect(nodes.node).toMatchObject({ nodename: 'hot-node-01' })
  const [, { namespaces }] = await answer('/object/namespaces', ['object-list@namespaces'], {
    profile: 'documented',
  })
  expect(namespaces.namespace).toMatchObject({ name: 'finance' })
  const groups = '/dashboard/zones/localzone/replicationgroups'
  const [, { _embedded }] = await answer(groups, ['object-list@replication_groups'])
  expect(_embedded._instances).toMatchObject({ name: 'rg-local' })
})

test('repeated-object: the first namespace occurs twice', async () => {
  const [, { namespace }] = await answer('/object/namespaces', ['repeated-object@namespaces'])
  expect(namespace).toHaveLength(31)
  expect(namespace.at(-1)).toEqual(namespace[0])
})

test('bad-numbers: in the objects of a list, or in the only object', async () => {
  const [, quota] = await answer('/object/namespaces/namespace/media/quota', [
    'bad-numbers:unavailable@quota',
  ])
  expect(quota).toMatchObject({ namespace: 'media', blockSize: 'N/A', notificationSize: 'N/A' })
  const [, list] = await answer('/object/namespaces', ['bad-numbers@namespaces'])
  expect(list.namespace[0]).toMatchObject({ name: 'finance', blockSize: -2 })
})

test('license:expiring: it expires in 20 days', async () => {
  const [, { license_feature }] = await answer('/license', ['license:expiring'])
  expect(license_feature).toMatchObject([{ expired_ind: false, expiration_date: '03/31/2026' }])
})

test('unready-tables: by the query interface', async () => {
  const emulator = await startEmulator({ profile: 'modern', faults: ['unready-tables:3'] })
  const rows = await rowsOf(
    emulator,
    script('monitoring_op', 'dtquery_dt_status', '|> filter(fn: (r) => r._field == "unready")'),
  )
  expect(new Set(rows.map((row: Json) => row._value))).toEqual(new Set(['3']))
})

test.each(['403', '404', '405', '501'])(
  'status:%s with a target refuses one operation only',
  async (status) => {
    const faults = [`status:${status}@quota`]
    expect((await answer('/object/namespaces/namespace/media/quota', faults))[0]).toBe(Number(status))
    expect((await answer('/object/namespaces', faults))[0]).toBe(200)
  },
)
