import { describe, expect, test } from 'vitest'
import { PROFILES, type Profile } from '../../../src/emulator/protocol/profiles.ts'
import type { Emulator } from '../../support/programs/emulator.ts'
import { call, type Json, NOW_SECONDS, objectsIn, startEmulator } from '../client.ts'

const ZONE = '/dashboard/zones/localzone'
const OPTIONS = { sites: 2, scenario: 'site-down', namespaces: 3, buckets: 4, nodes: 3 } as const
const names = Object.keys(PROFILES) as Profile[]

async function textOf(emulator: Emulator, path: string, ids?: readonly string[]): Promise<string> {
  const post = { method: 'POST', body: JSON.stringify({ id: ids }) }
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const response = await call(emulator, path, { headers, ...(ids !== undefined && post) })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`)
  return response.text
}

const embedded = (text: string): Json[] => objectsIn(JSON.parse(text))
/** The members below the root element, which profile documented has in JSON. */
const inner = (text: string): Json => {
  const body = JSON.parse(text)
  const [only, ...others] = Object.values<Json>(body)
  return others.length === 0 && !Array.isArray(only) && typeof only === 'object' ? only : body
}

describe.each(names)('profile %s', (profile) => {
  test.each([
    ['storagepools', '?dataType=current'],
    ['storagepools', `?startTime=${NOW_SECONDS - 7_200}&interval=900`],
    ['nodes', '?dataType=current'],
    ['nodes', '?category=capacityForecast'],
    ['nodes', `?startTime=${NOW_SECONDS - 7_200}&interval=900`],
    ['replicationgroups', '?dataType=current'],
    ['rglinksFailed', '?dataType=current'],
  ])('the own link of each object of %s%s leads to the same bytes', async (list, query) => {
    const emulator = await startEmulator({ ...OPTIONS, profile })
    const text = await textOf(emulator, `${ZONE}/${list}${query}`)
    const objects = embedded(text)
    expect(objects.length).toBeGreaterThan(0)
    for (const { _links } of objects) {
      const path = `${_links.self.href.replaceAll(' ', '%20')}${query}`
      expect(text).toContain(await textOf(emulator, path))
    }
  })

  test('the nodes of the system are those of the pools', async () => {
    const emulator = await startEmulator({ ...OPTIONS, profile })
    const query = '?dataType=current'
    const text = await textOf(emulator, `${ZONE}/nodes${query}`)
    const nodes = await Promise.all(
      emulator.pools.map(({ id }) => textOf(emulator, `/dashboard/storagepools/${id}/nodes${query}`)),
    )
    expect(embedded(text)).toEqual(nodes.flatMap(embedded))
    expect(embedded(text)).toHaveLength(6)
  })

  test('the links of the groups are all links', async () => {
    const emulator = await startEmulator({ ...OPTIONS, profile })
    const groups = embedded(await textOf(emulator, `${ZONE}/replicationgroups`))
    const hrefs: string[] = groups.map(({ _links }) => _links.rglinks.href.replaceAll(' ', '%20'))
    const links = await Promise.all(hrefs.map((href) => textOf(emulator, href)))
    expect(links.flatMap(embedded)).toEqual(embedded(await textOf(emulator, `${ZONE}/rglinksFailed`)))
  })

  test('usage and quota of one namespace and of one bucket are those of the lists', async () => {
    const emulator = await startEmulator({ ...OPTIONS, profile })
    const unit = 'sizeunit=KB'
    const namespaces = await textOf(emulator, `/object/billing/namespace/info?${unit}`, ['media'])
    const namespace = inner(await textOf(emulator, `/object/billing/namespace/media/info?${unit}`))
    expect(namespaces).toContain(JSON.stringify(namespace))
    const list = inner(await textOf(emulator, '/object/bucket?namespace=media')).object_bucket
    const ids = list.map(({ name }: Json) => name)
    expect(ids.length).toBeGreaterThan(1)
    const usages = await textOf(emulator, `/object/billing/buckets/media/info?${unit}`, ids)
    const detail = await textOf(
      emulator,
      `/object/billing/namespace/media/info?${unit}&include_bucket_detail=true`,
    )
    for (const [index, name] of ids.entries()) {
      const usage = inner(await textOf(emulator, `/object/billing/buckets/media/${name}/info?${unit}`))
      expect(usages).toContain(JSON.stringify(usage))
      expect(detail).toContain(JSON.stringify(usage))
      const quota = inner(await textOf(emulator, `/object/bucket/${name}/quota?namespace=media`))
      expect([quota.bucketname, quota.namespace]).toEqual([name, 'media'])
      expect(Number(quota.blockSize)).toBe(list[index].block_size)
      expect(typeof quota.blockSize).toBe(profile === 'documented' ? 'string' : 'number')
    }
  })

  test('the capacity is that of the system', async () => {
    const emulator = await startEmulator({ ...OPTIONS, profile })
    const zone = JSON.parse(await textOf(emulator, `${ZONE}?dataType=current`))
    const gib = (name: string) => Math.round(Number([zone[`${name}Current`]].flat()[0].Space) / 2 ** 30)
    const capacity = inner(await textOf(emulator, '/object/capacity'))
    expect(Number(capacity.totalProvisioned_gb)).toBe(gib('diskSpaceTotal'))
    expect(Number(capacity.totalFree_gb)).toBe(gib('diskSpaceFree'))
  })

  test('there are as many alerts as the system counts', async () => {
    const emulator = await startEmulator({ ...OPTIONS, profile, scenario: 'array-alerts' })
    const zone = JSON.parse(await textOf(emulator, ZONE))
    for (const severity of ['Critical', 'Error', 'Warning', 'Info']) {
      const query = `acknowledged=false&severity=${severity.toUpperCase()}&limit=500`
      const { alert } = inner(await textOf(emulator, `/vdc/alerts?${query}`))
      const [{ Count }] = [zone[`alertsNumUnack${severity}`]].flat()
      expect([severity, alert.length]).toEqual([severity, Number(Count)])
    }
    const all = inner(await textOf(emulator, '/vdc/alerts?limit=500')).alert
    const page = inner(await textOf(emulator, '/vdc/alerts?limit=10'))
    const next = inner(await textOf(emulator, `/vdc/alerts?limit=10&marker=${page.NextMarker}`))
    expect([...page.alert, ...next.alert]).toEqual(all.slice(0, 20))
    const times = all.map(({ timestamp }: Json) => timestamp)
    expect(times).toEqual(times.toSorted().toReversed())
    const late = inner(await textOf(emulator, `/vdc/alerts?limit=500&start_time=${times[2]}`)).alert
    expect(late.every(({ timestamp }: Json) => timestamp >= times[2])).toBe(true)
    expect(inner(await textOf(emulator, '/vdc/alerts?acknowledged=true')).alert).toEqual([])
  })
})

test.each([
  '/dashboard/nodes/none',
  '/dashboard/storagepools/none',
  '/dashboard/replicationgroups/none',
  '/dashboard/replicationgroups/none/rglinks',
  '/dashboard/rglinks/none',
  '/object/billing/namespace/none/info',
  '/object/billing/buckets/media/none/info',
  '/object/bucket/none/quota?namespace=media',
])('%s is refused with 404 and code 2000', async (path) => {
  const response = await call(await startEmulator(), path, { headers: { accept: 'application/json' } })
  expect([response.status, response.json().code]).toEqual([404, 2000])
})
