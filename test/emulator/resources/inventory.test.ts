import { describe, expect, test } from 'vitest'
import type { Emulator } from '../../../src/emulator/emulator.ts'
import { ADMIN, call, type Json, MONITOR, SECURITY, startEmulator } from '../client.ts'

const getJson = async (emulator: Emulator, path: string): Promise<Json> =>
  (await call(emulator, path, { headers: { accept: 'application/json' } })).json()

test('versions: one, and two during an upgrade', async () => {
  const versions = async (scenario: 'healthy' | 'upgrade') => {
    const { node } = await getJson(await startEmulator({ profile: 'modern', scenario }), '/vdc/nodes')
    return [...new Set(node.map(({ version }: Json) => version))]
  }
  expect(await versions('healthy')).toEqual(['4.3.0.0.142978.5d1c0a7b2e4'])
  expect(await versions('upgrade')).toEqual(['4.3.0.1.142978.5d1c0a7b2e4', '4.3.0.0.142978.5d1c0a7b2e4'])
})

test('the license has a date of expiry, except in version 3.5', async () => {
  const modern = await getJson(await startEmulator({ profile: 'modern' }), '/license')
  expect(modern.license_feature).toMatchObject([{ expired_ind: false, expiration_date: '02/09/2028' }])
  const classic = await getJson(await startEmulator({ profile: 'classic' }), '/license')
  expect(classic.license_feature[0]).not.toHaveProperty('expiration_date')
  const expired = await startEmulator({ profile: 'modern', faults: ['license:expired'] })
  expect((await getJson(expired, '/license')).license_feature).toMatchObject([
    { expired_ind: true, expiration_date: '03/01/2026' },
  ])
})

describe('alerts', () => {
  test.each(['documented', 'modern'] as const)(
    'profile %s: as many as the system counts',
    async (profile) => {
      const emulator = await startEmulator({ profile, scenario: 'disk-failures' })
      const body = await getJson(emulator, '/vdc/alerts?acknowledged=false&limit=1000')
      const { alert } = body.alerts ?? body
      const zone = await getJson(emulator, '/dashboard/zones/localzone?dataType=current')
      for (const severity of ['Critical', 'Error', 'Warning', 'Info']) {
        const [{ Count }] = [zone[`alertsNumUnack${severity}`]].flat()
        const found = alert.filter((one: Json) => one.severity === severity.toUpperCase())
        expect([severity, found.length]).toEqual([severity, Number(Count)])
      }
    },
  )

  test('have filters, pages, and a list of the latest', async () => {
    const emulator = await startEmulator({ profile: 'modern', scenario: 'disk-failures' })
    const errors = await getJson(emulator, '/vdc/alerts?severity=ERROR&limit=4')
    expect(errors.alert.map(({ symptomCode }: Json) => symptomCode)).toEqual(['2006', '2006', '2006', '2006'])
    expect(errors.NextMarker).not.toBe('')
    expect((await getJson(emulator, '/vdc/alerts?acknowledged=true')).alert).toEqual([])
    expect((await getJson(emulator, '/vdc/alerts/latest?limit=50')).alert).toHaveLength(20)
  })
})

test('call home, sites, and the tokens of a user', async () => {
  const emulator = await startEmulator({ profile: 'modern', sites: 3 })
  expect((await getJson(emulator, '/vdc/callhome/esrs/')).esrs_server_info).toMatchObject([
    { connection_status: 'Connected' },
  ])
  const { vdc } = await getJson(emulator, '/object/vdcs/vdc/list')
  expect(vdc.map(({ vdcName, local }: Json) => [vdcName, local])).toEqual([
    ['vdc-frankfurt', true],
    ['vdc-dublin', false],
    ['vdc-oslo', false],
  ])
  expect(await getJson(emulator, '/vdc/users/monitor/tokenCount')).toEqual({ count: 0 })
  const authorization = `Basic ${Buffer.from('monitor:emulator').toString('base64')}`
  await call(emulator, '/login', { token: '', headers: { authorization } })
  expect(await getJson(emulator, '/vdc/users/monitor/tokenCount')).toEqual({ count: 1 })
})

/** Columns: method, path, and whether the security administrator may call it. The others may call all. */
const ROLES: readonly [string, string, boolean][] = [
  ['GET', '/dashboard/zones/localzone', false],
  ['GET', '/dashboard/zones/localzone/replicationgroups', false],
  ['GET', '/dashboard/zones/localzone/rglinksFailed', false],
  ['GET', '/dashboard/zones/localzone/rglinksBootstrap', false],
  ['GET', '/object/namespaces', false],
  ['GET', '/object/namespaces/namespace/media/quota', false],
  ['POST', '/object/billing/namespace/info', false],
  ['GET', '/object/billing/namespace/media/info', false],
  ['GET', '/object/bucket?namespace=media', false],
  ['POST', '/object/billing/buckets/media/info', false],
  ['GET', '/license', false],
  ['GET', '/vdc/nodes', true],
  ['GET', '/vdc/alerts', true],
  ['GET', '/vdc/callhome/esrs', false],
  ['GET', '/vdc/users/monitor/tokenCount', false],
  ['GET', '/object/vdcs/vdc/list', false],
]

test.each(ROLES)('roles of %s %s', async (method, path, isForAll) => {
  const emulator = await startEmulator({ profile: 'modern', nodes: 1 })
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  for (const token of [MONITOR, ADMIN, SECURITY]) {
    const body = method === 'POST' ? '{}' : ''
    const response = await call(emulator, path, { method, token, headers, body })
    const isAllowed = isForAll || token !== SECURITY
    expect([token, response.status]).toEqual([token, isAllowed ? 200 : 403])
    if (!isAllowed) expect(response.json().code).toBe(3000)
  }
})
