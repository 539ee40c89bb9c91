import { SECONDS_PER_DAY } from '../../../time_units.ts'
import type { StorageModel } from '../model.ts'
import { mix, smoothNoise, unit } from '../random.ts'
import { userData } from './pool_values.ts'

const GIB = 2 ** 30
const NAMES = 'finance media backup research web logs archive hr legal sales lab empty'.split(' ')
const BUCKET_NAMES = ['logs', 'images', 'backup', 'export', 'raw', 'tmp']
const SALT = 101
/** Part of the user data of the pools that is in namespaces. */
const IN_NAMESPACES = 0.9
/** Hard quotas relative to the space of the disks: more than the namespaces use, unless a scenario says so. */
const QUOTA = 0.7
const SOFT_QUOTA = 0.8
/** Used part of the hard quota of the first namespaces in scenario "quota-near", on its first day and later each day. */
const QUOTA_NEAR = [
  { used: 0.97, perDay: 0 },
  { used: 0.96, perDay: 0 },
  { used: 0.8, perDay: 0.03 },
] as const

export type Namespace = ReturnType<typeof namespacesOf>[number]

/** The namespaces of a system, the largest first. */
export function namespacesOf(model: StorageModel) {
  const disks = model.pools
    .flatMap((pool) => pool.nodes)
    .reduce((sum, node) => sum + node.disks * node.diskBytes, 0)
  const weights = Array.from({ length: model.namespaces }, (_, index) => 1 / (index + 1) ** 0.8)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight, index) => {
    const key = mix(mix(model.key, SALT), index)
    const part = weight / total
    const objectBytes = Math.floor(100_000 * 40 ** unit(key, 1))
    const hasQuota = index < QUOTA_NEAR.length || unit(key, 2) < 0.5
    const hardQuotaBytes = hasQuota ? Math.max(1, Math.ceil((disks * QUOTA * part) / GIB)) * GIB : undefined
    const isEmpty = NAMES[index] === 'empty'
    return {
      index,
      key,
      name: NAMES[index] ?? `namespace-${String(index + 1).padStart(4, '0')}`,
      /** Its part of the data in namespaces. */
      part,
      hardQuotaBytes,
      softQuotaBytes: hardQuotaBytes && Math.max(1, Math.floor((hardQuotaBytes * SOFT_QUOTA) / GIB)) * GIB,
      quotaObjects: unit(key, 3) < 0.2 ? Math.ceil((disks * QUOTA * part) / objectBytes) : undefined,
      /** Mean size of an object. */
      objectBytes,
      buckets: isEmpty ? 0 : Math.ceil(model.buckets * (index === 0 ? 5 : 0.2 + 1.6 * unit(key, 4))),
    }
  })
}

/** Usage of a namespace or bucket in bytes and objects, and of multipart uploads that are not completed. */
export type Usage = ReturnType<typeof usage>

/** @param dataBytes {@link namespaceData} at the same time */
export function usageOf(model: StorageModel, namespace: Namespace, t: number, dataBytes: number) {
  const { key, part, index, hardQuotaBytes = 0 } = namespace
  const { scenario, day } = model.timeline.periodAt(t)
  const near = scenario === 'quota-near' ? QUOTA_NEAR[index] : undefined
  const bytes =
    near === undefined
      ? dataBytes * part * (1 + 0.01 * smoothNoise(key, t, SECONDS_PER_DAY))
      : hardQuotaBytes * Math.min(0.999, near.used + (near.perDay * (t - day)) / SECONDS_PER_DAY)
  return usage(Math.floor(NAMES[index] === 'empty' ? 0 : bytes), namespace)
}

function usage(bytes: number, { key, objectBytes }: Namespace) {
  const multipartBytes = Math.floor(bytes * 0.02 * unit(key, 5))
  return {
    bytes,
    objects: Math.floor(bytes / objectBytes),
    multipartBytes,
    multipartParts: Math.ceil(multipartBytes / (8 * 2 ** 20)),
  }
}

export function namespaceData(model: StorageModel, t: number): number {
  return IN_NAMESPACES * model.pools.reduce((sum, pool) => sum + userData(model, pool, t), 0)
}

export type Bucket = ReturnType<typeof bucketsOf>[number]

/** The buckets of a namespace, the largest first. */
export function bucketsOf({ buckets, key, name }: Namespace) {
  const weights = Array.from({ length: buckets }, (_, index) => 1 / (index + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight, index) => ({
    name: `${BUCKET_NAMES[index % BUCKET_NAMES.length]}-${name.toLowerCase().replaceAll(/\W+/g, '-')}-${index + 1}`,
    key: mix(key, 1_000 + index),
    /** Its part of the data of its namespace. */
    part: weight / total,
    hardQuotaBytes: unit(key, 1_000 + index) < 0.1 ? 500 * 1024 * GIB : undefined,
  }))
}

export function bucketUsage(namespace: Namespace, ofNamespace: Usage, { part }: Bucket): Usage {
  return usage(Math.floor(ofNamespace.bytes * part), namespace)
}
