import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { ResourceRequest } from '../../../src/api/resources/requests.ts'
import { boundedName } from '../../../src/values/names.ts'
import { linesOf, setUp } from './setup.ts'

const LIST = '/object/namespaces'
/** The list of namespaces with these names. */
const named = (...names: readonly string[]) => ({ namespace: names.map((name) => ({ name })) })
/** Requests for the usage of namespaces, for the buckets of one, and for the usage of those. */
const usageOf = (...id: readonly string[]) =>
  `/object/billing/namespace/info?sizeunit=KB ${JSON.stringify({ id })}`
const bucketsOf = (namespace: string) => `/object/bucket?namespace=${namespace}`
const bucketUsageOf = (namespace: string, ...id: readonly string[]) =>
  `/object/billing/buckets/${namespace}/info?sizeunit=KB ${JSON.stringify({ id })}`
const nameAt = (index: number) => `ns${String(index).padStart(4, '0')}`
const PAGE = 500
const gone = (status = 404) => new ApiError('not_found', 'gone', { status })

/** A system with many namespaces, of which the last are the largest. */
function manyNamespaces(count: number, sizeOf = (index: number) => index) {
  const names = Array.from({ length: count }, (_, index) => nameAt(index))
  const page = (start: number) => ({
    namespace: names.slice(start, start + PAGE).map((name) => ({ name })),
    ...(start + PAGE < count && { NextMarker: `m${start + PAGE}` }),
  })
  const starts = names.map((_, index) => index).filter((index) => index % PAGE === 0)
  const pages = starts.map((start) => [start === 0 ? LIST : `${LIST}?marker=m${start}`, page(start)])
  const usage = ({ body = '{}' }: ResourceRequest) => ({
    namespace_billing_infos: (JSON.parse(body) as { id: string[] }).id.map((namespace) => ({
      namespace,
      total_size: sizeOf(names.indexOf(namespace)),
      total_objects: 1,
    })),
  })
  const batches = names.filter((_, index) => index % 100 === 0)
  const bodies = batches.map((_, index) => {
    return [usageOf(...names.slice(index * 100, index * 100 + 100)), usage]
  })
  const quotas = names.map((name) => [
    `${LIST}/namespace/${name}/quota`,
    { namespace: name, blockSize: 1, notificationSize: -1 },
  ])
  return Object.fromEntries([...pages, ...bodies, ...quotas]) as Record<string, unknown>
}

const exported = (lines: readonly string[], family: string) =>
  lines.flatMap((line) => (line.startsWith(`${family}{`) ? (/namespace="(\w+)"/.exec(line)?.[1] ?? []) : []))

describe('the usage of many namespaces', () => {
  test('takes a request for each page and each hundred namespaces, and exports the largest', async () => {
    const { read, requests } = setUp(manyNamespaces(2000))
    const reading = await read('namespaces')
    expect(requests).toHaveLength(4 + 20)
    const names = exported(linesOf(reading), 'sds_namespace_used_bytes')
    expect(names.toSorted()).toEqual(Array.from({ length: 500 }, (_, index) => nameAt(1500 + index)))
    expect(reading.leftOut).toBe(1500)
  })

  test('exports the same namespaces until they are far from the largest', async () => {
    const sizes = new Map<number, number>()
    const { read } = setUp(
      manyNamespaces(200, (index) => sizes.get(index) ?? index),
      { max: 100 },
    )
    await read('namespaces')
    // They have the ranks 138 and 179: the first stays, because the limit is 150.
    sizes.set(100, 60.5)
    sizes.set(101, 20.5)
    const names = exported(linesOf(await read('namespaces')), 'sds_namespace_used_bytes')
    expect(names).toHaveLength(100)
    expect(names).toContain(nameAt(100))
    expect(names).not.toContain(nameAt(101))
  })

  test('is that of the namespaces that the patterns select', async () => {
    const gone = { namespace: 'gone', total_size: 0, valid_namespace: 'false' }
    const usage = { namespace_billing_infos: [{ namespace: 'ns0001', total_size: 1 }, gone] }
    const answers = { ...manyNamespaces(30), [usageOf('ns0001', 'ns0003')]: usage }
    const { read } = setUp(answers, { include: 'ns000[1-3]', exclude: '.*2' })
    expect(linesOf(await read('namespaces'))).toEqual([
      'sds_namespace_used_bytes{system="a",namespace="ns0001"} 1024',
    ])
  })

  test.each([['false'], [false]])('of one with valid_namespace %j is left out', async (valid) => {
    const usage = (namespace: string, more: object) => ({ namespace, total_size: 1, ...more })
    const list = [usage('x', {}), usage('gone', { valid_namespace: valid })]
    const { read } = setUp({ [LIST]: named('x'), [usageOf('x')]: { namespace_billing_infos: list } })
    expect(linesOf(await read('namespaces'))).toEqual([
      'sds_namespace_used_bytes{system="a",namespace="x"} 1024',
    ])
  })

  test.each([[''], [null], [undefined]])(
    'has the time of reading where uptodate_till is %j',
    async (time) => {
      const usage = { namespace: 'x', uptodate_till: time, sample_time: '2026-07-29T08:10:42Z' }
      const { read } = setUp({ [LIST]: named('x'), [usageOf('x')]: { namespace_billing_infos: [usage] } })
      const seconds = Date.parse(usage.sample_time) / 1000
      const reading = await read('namespaces')
      expect(linesOf(reading)).toEqual([
        `sds_namespace_usage_timestamp_seconds{system="a",namespace="x"} ${seconds}`,
      ])
      expect(reading.rejected).toEqual([])
    },
  )

  test('of several whose names differ in blanks is that of one, and the others are counted', async () => {
    const names = ['x', ' x', 'y', 'x ', 'y']
    const { read } = setUp({
      [LIST]: named(...names),
      [usageOf('x', 'y')]: { namespace_billing_infos: [{ namespace: 'x', total_size: 1 }] },
    })
    const reading = await read('namespaces')
    expect(reading).toMatchObject({ exportedObjects: 1, rejectedObjects: 2 })
    expect(reading.rejected).toMatchObject([{ attribute: 'namespaces', reason: 'duplicate', text: 'x' }])
  })

  test('in another unit is rejected', async () => {
    const usage = { namespace: 'ns0000', total_size: 1, total_size_unit: 'GB', total_objects: 2 }
    const { read } = setUp({
      [LIST]: named('ns0000'),
      [usageOf('ns0000')]: { namespace_billing_info: [usage] },
    })
    const reading = await read('namespaces')
    expect(linesOf(reading)).toEqual(['sds_namespace_objects{system="a",namespace="ns0000"} 2'])
    expect(reading.rejected).toMatchObject([{ attribute: 'namespaces', reason: 'text' }])
  })

  test.each([['timeout'], ['server_error'], ['forbidden'], ['not_found']] as const)(
    'fails with %s of a batch',
    async (reason) => {
      const { read, requests } = setUp({ [LIST]: named('x'), [usageOf('x')]: new ApiError(reason, 'bad') })
      await expect(read('namespaces')).rejects.toMatchObject({ reason })
      expect(requests).toHaveLength(2)
    },
  )
})

describe('pages of a list', () => {
  const first = { namespace: [{ name: 'x' }], NextMarker: 'm' }

  test.each([
    ['a page that fails', gone(), 'not_found'],
    ['a marker that was there before', { namespace: [], NextMarker: 'm' }, 'schema'],
    ['a page without a list', {}, 'schema'],
  ])('%s fails all of them', async (_, second, reason) => {
    const { read } = setUp({ [LIST]: first, [`${LIST}?marker=m`]: second })
    await expect(read('namespaces')).rejects.toMatchObject({ reason })
  })

  test('more than a hundred are refused', async () => {
    const pages = Array.from({ length: 150 }, (_, index) => [
      index === 0 ? LIST : `${LIST}?marker=m${index}`,
      { namespace: [], NextMarker: `m${index + 1}` },
    ])
    const { read, requests } = setUp(Object.fromEntries(pages))
    await expect(read('namespaces')).rejects.toMatchObject({ reason: 'too_large' })
    expect(requests).toHaveLength(100)
  })
})

describe('the number of entries of a list', () => {
  const pagesOf = (sizes: readonly number[]) =>
    Object.fromEntries(
      sizes.map((size, page) => [
        page === 0 ? LIST : `${LIST}?marker=m${page}`,
        {
          namespace: Array.from({ length: size }, (_, index) => ({
            name: `n${page}-${index}`,
            blockSize: 1,
          })),
          ...(page < sizes.length - 1 && { NextMarker: `m${page + 1}` }),
        },
      ]),
    )

  test.each([
    [[25_000, 25_000], undefined],
    [[25_000, 25_000, 1], 'too_large'],
  ])('%j: at most 50,000 are read', async (sizes, reason) => {
    const { read, requests } = setUp(pagesOf(sizes), { max: 1 })
    const failed = await read('quotas').then(
      () => undefined,
      (failure: ApiError) => failure.reason,
    )
    expect(failed).toBe(reason)
    expect(requests).toHaveLength(sizes.length)
  })
})

describe('quotas', () => {
  const TWO_GIB = 'sds_namespace_quota_bytes{system="a",namespace="x",limit="hard"} 2147483648'

  test('are requested for the namespaces that are exported, spread over the interval but at first', async () => {
    const namespaces = Array.from({ length: 50 }, (_, index) => nameAt(index))
    const { read, requests, pauses } = setUp(manyNamespaces(2000), { exported: namespaces })
    expect(linesOf(await read('quotas'))).toHaveLength(50)
    expect(requests).toHaveLength(4 + 50)
    expect(pauses).toEqual([])
    await read('quotas', 3_000_000)
    expect(pauses).toEqual(Array.from({ length: 49 }, () => 60_000))
  })

  test('are at most those of resources.namespaces.max, if the usage is not known', async () => {
    const { read, requests } = setUp(manyNamespaces(2000), { max: 10 })
    await read('quotas')
    expect(requests).toHaveLength(4 + 10)
  })

  test('are taken from the list where it has them', async () => {
    const sizes = { x: '2', y: '-1', z: { toString: 1, valueOf: 1 } }
    const namespace = Object.entries(sizes).map(([name, blockSize]) => ({ name, blockSize }))
    const { read, requests } = setUp({ [LIST]: { namespace } })
    expect(linesOf(await read('quotas'))).toEqual([TWO_GIB])
    expect(requests).toEqual([LIST])
  })

  test('are requested where the list has null instead', async () => {
    const { read, requests } = setUp({
      [LIST]: { namespace: [{ name: 'x', blockSize: null, notificationSize: null }] },
      [`${LIST}/namespace/x/quota`]: { blockSize: 2, notificationSize: -1 },
    })
    expect(linesOf(await read('quotas'))).toEqual([TWO_GIB])
    expect(requests).toEqual([LIST, `${LIST}/namespace/x/quota`])
  })

  test('of a namespace that is gone are left out', async () => {
    const quota = (name: string) => ({ [`${LIST}/namespace/${name}/quota`]: { blockSize: 1 } })
    const { read } = setUp({ [LIST]: named('x', 'y', 'z'), ...quota('x'), ...quota('z') })
    expect(exported(linesOf(await read('quotas')), 'sds_namespace_quota_bytes')).toEqual(['x', 'z'])
  })

  test('that the system does not serve end after three requests', async () => {
    const { read, requests } = setUp({ [LIST]: named(...'abcdefg') })
    await expect(read('quotas')).rejects.toMatchObject({ reason: 'not_found' })
    expect(requests).toHaveLength(1 + 3)
  })
})

test('names that are too long for a label have their quota, and the number, the usage and the quota of buckets', async () => {
  const namespace = 'n'.repeat(250)
  const label = boundedName(namespace)
  const name = 'b'.repeat(250)
  const answers = {
    [LIST]: named(namespace),
    [bucketsOf(namespace)]: { object_bucket: [{ name, namespace, block_size: 1 }] },
    [bucketUsageOf(namespace, name)]: { bucket_billing_infos: [{ name, namespace, total_size: 5 }] },
    [`${LIST}/namespace/${namespace}/quota`]: { blockSize: 1 },
  }
  const { read, requests } = setUp(answers, { exported: [label] })
  const labels = `system="a",namespace="${label}",bucket="${boundedName(name)}"`
  expect(linesOf(await read('buckets'))).toEqual([
    `sds_bucket_quota_bytes{${labels},limit="hard"} 1073741824`,
    `sds_bucket_used_bytes{${labels}} 5120`,
    `sds_namespace_buckets{system="a",namespace="${label}"} 1`,
  ])
  expect(requests).toHaveLength(3)
  expect(linesOf(await read('quotas'))).toEqual([
    `sds_namespace_quota_bytes{system="a",namespace="${label}",limit="hard"} 1073741824`,
  ])
})

test('the largest buckets of a system are exported, and counted by namespace', async () => {
  const withBuckets = (namespace: string, ...sizes: readonly number[]) => {
    const buckets = sizes.map((total_size, index) => ({ name: `b${index}`, namespace, total_size }))
    return {
      [bucketsOf(namespace)]: { object_bucket: buckets.map(({ name }) => ({ name, namespace })) },
      [bucketUsageOf(namespace, ...buckets.map(({ name }) => name))]: { bucket_billing_infos: buckets },
    }
  }
  const answers = { [LIST]: named('x', 'y'), ...withBuckets('x', 5, 1), ...withBuckets('y', 3, 4, 2) }
  const reading = await setUp(answers, { top: 3 }).read('buckets')
  expect(linesOf(reading)).toEqual([
    'sds_bucket_used_bytes{system="a",namespace="x",bucket="b0"} 5120',
    'sds_bucket_used_bytes{system="a",namespace="y",bucket="b0"} 3072',
    'sds_bucket_used_bytes{system="a",namespace="y",bucket="b1"} 4096',
    'sds_namespace_buckets{system="a",namespace="x"} 2',
    'sds_namespace_buckets{system="a",namespace="y"} 3',
  ])
  // Numbers of buckets are no objects of their own.
  expect(reading).toMatchObject({ exportedObjects: 3, leftOut: 2 })
})

test('a bucket whose usage the system does not tell is not left out by the limit', async () => {
  const { read } = setUp({
    [LIST]: named('x'),
    [bucketsOf('x')]: { object_bucket: [{ name: 'b1' }, { name: 'gone' }] },
    [bucketUsageOf('x', 'b1', 'gone')]: {
      bucket_billing_infos: [{ name: 'b1', namespace: 'x', total_size: 1 }],
    },
  })
  expect(await read('buckets')).toMatchObject({ exportedObjects: 1, leftOut: 0 })
})

test('a bucket with which two pages of the list overlap is counted once', async () => {
  const { read } = setUp({
    [LIST]: named('x'),
    [bucketsOf('x')]: { object_bucket: [{ name: 'b1' }, { name: 'b2' }], NextMarker: 'b2' },
    '/object/bucket?namespace=x&marker=b2': { object_bucket: [{ name: 'b2' }, { name: 'b3' }] },
    [bucketUsageOf('x', 'b1', 'b2', 'b3')]: { bucket_billing_infos: [] },
  })
  expect(linesOf(await read('buckets'))).toEqual(['sds_namespace_buckets{system="a",namespace="x"} 3'])
})

test('namespaces that are gone do not end the reading of the buckets of others', async () => {
  const names = ['x', 'gone1', 'gone2', 'gone3', 'y']
  const withBucket = (namespace: string) => ({
    [bucketsOf(namespace)]: { object_bucket: [{ name: 'b' }] },
    [bucketUsageOf(namespace, 'b')]: { bucket_billing_infos: [] },
  })
  const { read } = setUp({ [LIST]: named(...names), ...withBucket('x'), ...withBucket('y') })
  for (let times = 0; times < 3; times += 1)
    expect(linesOf(await read('buckets'))).toEqual([
      'sds_namespace_buckets{system="a",namespace="x"} 1',
      'sds_namespace_buckets{system="a",namespace="y"} 1',
    ])
})

test.each(['quotas', 'buckets'] as const)(
  '%s that the system does not serve for its only namespace are not available',
  async (resource) => {
    const { read } = setUp({ [LIST]: named('x') })
    await expect(read(resource)).rejects.toMatchObject({ reason: 'not_found' })
  },
)
