import { describe, expect, test } from 'vitest'
import type { Emulator } from '../../support/programs/emulator.ts'
import { type CallOptions, call, type Json, jsonOf, startEmulator } from '../client.ts'

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' }
const PROFILES = ['documented', 'classic', 'modern'] as const

const post = (emulator: Emulator, path: string, body: string, options: CallOptions = {}) =>
  call(emulator, path, { method: 'POST', headers: JSON_TYPE, body, ...options })

/** The object below the root element, which profile documented has in JSON. */
const inner = (body: Json, root: string): Json => body[root] ?? body

async function namesOf(emulator: Emulator): Promise<string[]> {
  const list = inner(await jsonOf(emulator, '/object/namespaces'), 'namespaces')
  return list.namespace.map(({ name }: Json) => name)
}

async function usageOf(emulator: Emulator, ids: readonly string[], unit = 'KB'): Promise<Json[]> {
  const path = `/object/billing/namespace/info?sizeunit=${unit}`
  const body = (await post(emulator, path, JSON.stringify({ id: ids }))).json().namespace_billing_infos
  return body.namespace_billing_info ?? body
}

test('the list of namespaces has pages: a marker leads to the next one until it is empty', async () => {
  const emulator = await startEmulator({ profile: 'modern', namespaces: 25 })
  const names: string[] = []
  let marker = ''
  do {
    const page = await jsonOf(emulator, `/object/namespaces?limit=10&marker=${marker}`)
    names.push(...page.namespace.map(({ name }: Json) => name))
    marker = page.NextMarker
  } while (marker !== '')
  expect(new Set(names).size).toBe(25)
  expect(names).toEqual(await namesOf(emulator))
  expect((await call(emulator, '/object/namespaces?limit=x')).status).toBe(400)
  expect((await call(emulator, '/object/namespaces?marker=x')).status).toBe(400)
})

describe('quotas', () => {
  test.each(PROFILES)('profile %s: GiB, -1 if unset', async (profile) => {
    const emulator = await startEmulator({ profile, namespaces: 30 })
    const quotas: Json[] = []
    for (const name of await namesOf(emulator)) {
      const path = `/object/namespaces/namespace/${encodeURIComponent(name)}/quota`
      const quota = inner(await jsonOf(emulator, path), 'namespace_quota_details')
      expect(quota.namespace).toBe(name)
      quotas.push(quota)
    }
    const names = quotas.map(({ namespace }) => namespace)
    const usages = await usageOf(emulator, names)
    const hard = quotas.map(({ blockSize }) => Number(blockSize))
    expect(hard.filter((size) => size === -1).length).toBeGreaterThan(0)
    for (const [index, size] of hard.entries()) {
      if (size !== -1) expect(Number(usages[index].total_size) * 1024).toBeLessThan(0.85 * size * 2 ** 30)
    }
    expect(typeof quotas[0].blockSize).toBe(profile === 'documented' ? 'string' : 'number')
    expect('blockSizeInCount' in quotas[0]).toBe(profile !== 'classic')
  })

  test('quota-near: two namespaces are above 95 % of the hard quota, a third one grows', async () => {
    let now = Date.parse('2026-03-11T10:00:00Z')
    const emulator = await startEmulator({ profile: 'modern', scenario: 'quota-near', clock: () => now })
    const { namespace } = await jsonOf(emulator, '/object/namespaces')
    const ratios = async () =>
      (await usageOf(emulator, await namesOf(emulator)))
        .slice(0, 3)
        .map(({ total_size }, index) => (Number(total_size) * 1024) / (namespace[index].blockSize * 2 ** 30))
    const [first = 0, second = 0, third = 0] = await ratios()
    expect([first > 0.95, second > 0.95, third > 0.75 && third < 0.85]).toEqual([true, true, true])
    now += 2 * 86_400_000
    expect((await ratios())[2]).toBeCloseTo(third + 0.06, 3)
  })
})

describe('usage', () => {
  test.each(PROFILES)('profile %s: of all namespaces, in one request', async (profile) => {
    const emulator = await startEmulator({ profile })
    const names = await namesOf(emulator)
    const usages = await usageOf(emulator, names)
    expect(usages.map(({ namespace }) => namespace)).toEqual(names)
    const total = usages.reduce((sum, { total_size }) => sum + 1024 * Number(total_size), 0)
    const zone = await jsonOf(emulator, '/dashboard/zones/localzone?dataType=current')
    const [user] = [zone.diskSpaceAllocatedUserDataCurrent].flat()
    expect(total / Number(user.Space ?? user.Capacity)).toBeCloseTo(0.9, 1)
  })

  test.each([
    ['no body', '', JSON_TYPE, 415, 1003],
    ['another media type', '<id/>', { ...JSON_TYPE, 'content-type': 'application/xml' }, 415, 1003],
    ['a list', '[]', JSON_TYPE, 400, 1013],
    ['null', 'null', JSON_TYPE, 500, 999],
    ['no JSON', '{', JSON_TYPE, 400, 1013],
    ['an empty object', '{}', JSON_TYPE, 200, undefined],
  ])('%s', async (_name, body, headers, status, code) => {
    const path = '/object/billing/namespace/info?sizeunit=KB'
    const response = await post(await startEmulator({ profile: 'modern' }), path, body, { headers })
    expect([response.status, response.json().code]).toEqual([status, code])
    if (status === 200) expect(response.json()).toEqual({ namespace_billing_infos: [] })
  })
})

describe('buckets', () => {
  test('the list needs a namespace, and has pages and quotas', async () => {
    const emulator = await startEmulator({ profile: 'modern' })
    expect((await call(emulator, '/object/bucket')).status).toBe(400)
    const first = await jsonOf(emulator, '/object/bucket?namespace=finance&limit=60')
    expect(first.object_bucket).toHaveLength(60)
    const second = await jsonOf(
      emulator,
      `/object/bucket?namespace=finance&limit=60&marker=${first.NextMarker}`,
    )
    expect([second.object_bucket.length, second.NextMarker]).toEqual([40, ''])
    const sizes = [...first.object_bucket, ...second.object_bucket].map(({ block_size }) => block_size)
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([-1, 512_000])
    expect((await jsonOf(emulator, '/object/bucket?namespace=empty')).object_bucket).toEqual([])
  })

  test.each(PROFILES)('profile %s: usage adds up to that of the namespace', async (profile) => {
    const emulator = await startEmulator({ profile })
    const list = inner(await jsonOf(emulator, '/object/bucket?namespace=media'), 'object_buckets')
    const ids = list.object_bucket.map(({ name }: Json) => name)
    const path = '/object/billing/buckets/media/info?sizeunit=KB'
    const answer = (await post(emulator, path, JSON.stringify({ id: [...ids, 'none'] }))).json()
      .bucket_billing_infos
    const infos: Json[] = answer.bucket_billing_info ?? answer
    expect(infos.map(({ name }) => name)).toEqual(ids)
    const [namespace] = await usageOf(emulator, ['media'])
    const sum = infos.reduce((total, { total_size }) => total + Number(total_size), 0)
    expect(sum / Number(namespace.total_size)).toBeCloseTo(1, 6)
  })
})
