import { parsedJson } from '../../text.ts'
import { SECONDS_PER_DAY, timeText } from '../../time_units.ts'
import { oncePerKey } from '../../values/cache.ts'
import type { StorageModel } from '../model/model.ts'
import { keyOf, mix, smoothNoise, sum, unit } from '../model/random.ts'
import { EmulatedError, findBy } from '../protocol/errors.ts'
import { type Document, isObject, type Members } from '../protocol/format.ts'
import { pageOf, type ResourceRequest, wrapped } from './request.ts'
import { userData } from './zone.ts'

const KIB = 2 ** 10
const GIB = 2 ** 30
/** A quota that is not set. */
const UNSET = -1
/** A secret that clients must not keep or show. */
export const MARKED_SECRET = 'emulator-secret-that-must-not-leak'
/** Names and texts of people, which are no labels. */
export const PRIVATE = { owner: 'owner-that-is-no-label', tag: 'tag-that-is-no-label' } as const
const TAGS = [{ Key: PRIVATE.tag, Value: PRIVATE.tag }]
const GROUP = 'urn:storageos:ReplicationGroupInfo:00000000-0000-0000-0000-000000000001:global'

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
const SAMPLE_SECONDS = 300

type Namespace = ReturnType<typeof namespacesOf>[number]

/** The namespaces of a system, the largest first. */
export function namespacesOf(model: StorageModel) {
  const disks = sum(model.pools.flatMap(({ nodes }) => nodes.map((node) => node.disks * node.diskBytes)))
  return partsOf(model.namespaces, 0.8).map((part, index) => {
    const key = mix(mix(model.key, SALT), index)
    const objectBytes = Math.floor(100_000 * 40 ** unit(key, 1))
    const hasQuota = index < QUOTA_NEAR.length || unit(key, 2) < 0.5
    const hardQuotaGib = hasQuota ? Math.max(1, Math.ceil((disks * QUOTA * part) / GIB)) : UNSET
    const isEmpty = NAMES[index] === 'empty'
    return {
      index,
      key,
      name: NAMES[index] ?? `namespace-${String(index + 1).padStart(4, '0')}`,
      /** Its part of the data in namespaces. */
      part,
      isEmpty,
      hardQuotaGib,
      softQuotaGib: hasQuota ? Math.max(1, Math.floor(hardQuotaGib * SOFT_QUOTA)) : UNSET,
      quotaObjects: unit(key, 3) < 0.2 ? Math.ceil((disks * QUOTA * part) / objectBytes) : UNSET,
      /** Mean size of an object. */
      objectBytes,
      buckets: isEmpty ? 0 : Math.ceil(model.buckets * (index === 0 ? 5 : 0.2 + 1.6 * unit(key, 4))),
    }
  })
}

type Bucket = ReturnType<typeof bucketsOf>[number]

/** The buckets of a namespace, the largest first. */
function bucketsOf({ buckets, key, name }: Namespace) {
  return partsOf(buckets, 1).map((part, index) => ({
    name: `${BUCKET_NAMES[index % BUCKET_NAMES.length]}-${name.toLowerCase().replaceAll(/\W+/g, '-')}-${index + 1}`,
    /** Its part of the data of its namespace. */
    part,
    hardQuotaGib: unit(key, 1_000 + index) < 0.1 ? 500 * 1024 : UNSET,
  }))
}

/** Parts of a whole, each smaller than the one before. */
function partsOf(count: number, exponent: number): number[] {
  const weights = Array.from({ length: count }, (_, index) => 1 / (index + 1) ** exponent)
  const total = sum(weights)
  return weights.map((weight) => weight / total)
}

/** @throws EmulatedError 404 */
function findNamespace({ model }: ResourceRequest, name = ''): Namespace {
  return findBy(namespacesOf(model), name, (one) => one.name === name)
}

/** `GET /object/namespaces`. Only in profile `modern` the list has the quotas. */
export function namespaceList(request: ResourceRequest): Document {
  const names = { root: 'namespaces', list: 'namespace', count: 'MaxNamespaces' }
  return pageOf(request, names, namespacesOf(request.model), (one) => ({
    name: one.name,
    id: one.name,
    link: { href: `/object/namespaces/namespace/${encodeURIComponent(one.name)}`, rel: 'self' },
    ...(request.profile === 'modern' && {
      ...quotaMembers(one),
      is_encryption_enabled: 'false',
      root_user_name: 'root',
      root_user_password: MARKED_SECRET,
    }),
  }))
}

/** `GET /object/namespaces/namespace/{namespace}/quota` @throws EmulatedError 404 */
export function namespaceQuota(request: ResourceRequest): Document {
  const namespace = findNamespace(request, request.parameters[0])
  return quotaDocument(request, 'namespace_quota_details', { namespace: namespace.name }, namespace)
}

/** `GET /object/bucket/{bucket}/quota?namespace=…` @throws EmulatedError */
export function bucketQuota(request: ResourceRequest): Document {
  const namespace = namespaceIn(request)
  const { name, hardQuotaGib } = findBucket(namespace, request.parameters[0])
  return quotaDocument(
    request,
    'bucket_quota_details',
    { bucketname: name, namespace: namespace.name },
    { hardQuotaGib },
  )
}

/** Profile `classic` has no quotas of objects. Older documents have strings. */
function quotaDocument(request: ResourceRequest, root: string, names: Members, quotas: Quotas): Document {
  const { blockSize, notificationSize, ...counts } = quotaMembers(quotas)
  const members = { ...names, blockSize, notificationSize, ...(request.profile !== 'classic' && counts) }
  const texts = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]))
  return wrapped(request, root, request.profile === 'documented' ? texts : members)
}

type Quotas = Pick<Namespace, 'hardQuotaGib'> & Partial<Pick<Namespace, 'softQuotaGib' | 'quotaObjects'>>

function quotaMembers({ hardQuotaGib, softQuotaGib = UNSET, quotaObjects = UNSET }: Quotas) {
  return {
    blockSize: hardQuotaGib,
    notificationSize: softQuotaGib,
    blockSizeInCount: quotaObjects,
    notificationSizeInCount: UNSET,
  }
}

/** `GET /object/bucket?namespace=…` @throws EmulatedError 400 without a namespace */
export function bucketList(request: ResourceRequest): Document {
  const namespace = namespaceIn(request)
  const names = { root: 'object_buckets', list: 'object_bucket', count: 'MaxBuckets' }
  return pageOf(request, names, bucketsOf(namespace), (bucket) => ({
    name: bucket.name,
    namespace: namespace.name,
    owner: PRIVATE.owner,
    vpool: GROUP,
    created: '2021-03-04T05:06:07.890Z',
    block_size: bucket.hardQuotaGib,
    notification_size: UNSET,
    TagSet: TAGS,
  }))
}

function namespaceIn(request: ResourceRequest): Namespace {
  const name = request.query.get('namespace')
  if (name === null) throw new EmulatedError('badParameter', 'Parameter namespace is required')
  return findNamespace(request, name)
}

/** @throws EmulatedError 404 */
function findBucket(namespace: Namespace, name = ''): Bucket {
  return findBy(bucketsOf(namespace), name, (one) => one.name === name)
}

/** `POST /object/billing/namespace/info` with `{"id": […]}` @throws EmulatedError for other bodies */
export function namespaceUsages(request: ResourceRequest): Document {
  const byName = new Map(namespacesOf(request.model).map((one) => [one.name, one]))
  const { namespaceInfo } = infoReader(request)
  const infos = idsIn(request).map((name) => {
    const namespace = byName.get(name)
    if (namespace !== undefined) return namespaceInfo(namespace)
    return { namespace: name, valid_namespace: 'false', total_size: '0', total_objects: '0' }
  })
  return usageList(request, 'namespace_billing_info', infos)
}

/** @throws EmulatedError 404 */
export function namespaceUsage(request: ResourceRequest): Document {
  const info = infoReader(request).namespaceInfo(findNamespace(request, request.parameters[0]))
  return wrapped(request, 'namespace_billing_info', info)
}

/** @throws EmulatedError 404 */
export function bucketUsage(request: ResourceRequest): Document {
  const namespace = findNamespace(request, request.parameters[0])
  const bucket = findBucket(namespace, request.parameters[1])
  return wrapped(request, 'bucket_billing_info', infoReader(request).bucketInfo(namespace)(bucket))
}

/** `POST /object/billing/buckets/{namespace}/info` with `{"id": […]}`. Unknown names are missing in the answer. */
export function bucketUsages(request: ResourceRequest): Document {
  const namespace = findNamespace(request, request.parameters[0])
  const ids = new Set(idsIn(request))
  const found = bucketsOf(namespace).filter(({ name }) => ids.has(name))
  return usageList(request, 'bucket_billing_info', found.map(infoReader(request).bucketInfo(namespace)))
}

/** In the JSON of real systems, the list has the plural name of the root element. */
function usageList({ profile }: ResourceRequest, name: string, infos: readonly Members[]): Document {
  const root = `${name}s`
  const members = { [name]: infos }
  return { root, members, json: { [root]: profile === 'documented' ? members : infos } }
}

/** As on real systems, `{}` has no ids, no body is refused with 415, `[]` with 400, `null` with 500. */
function idsIn({ body, context }: ResourceRequest): readonly string[] {
  const contentType = context.get('content-type')
  if (body === '' || !contentType.startsWith('application/json'))
    throw new EmulatedError('mediaType', `The body must be JSON, not "${contentType}"`)
  const value = parsedJson(body)
  if (value === null) throw new EmulatedError('failure', 'The body is null')
  if (!isObject(value)) throw new EmulatedError('notAUrn', 'The body must be a JSON object')
  return [value['id']].flat().filter((id) => typeof id === 'string')
}

/** Reads the bytes in namespaces; the data of all pools is computed once for each time. */
function bytesReader(request: ResourceRequest): (namespace: Namespace) => number {
  const { model } = request
  const dataAt = oncePerKey(
    (t: number) => IN_NAMESPACES * sum(model.pools.map((pool) => userData(model, pool, t))),
  )
  return (namespace) => {
    const { key, part, index, isEmpty, hardQuotaGib } = namespace
    const t = sampleTime(request, namespace)
    const { scenario, day } = model.timeline.periodAt(t)
    const near = scenario === 'quota-near' ? QUOTA_NEAR[index] : undefined
    const bytes =
      near === undefined
        ? dataAt(t) * part * (1 + 0.01 * smoothNoise(key, t, SECONDS_PER_DAY))
        : hardQuotaGib * GIB * Math.min(0.999, near.used + (near.perDay * (t - day)) / SECONDS_PER_DAY)
    return isEmpty ? 0 : Math.floor(bytes)
  }
}

/** Reads the usage of namespaces and buckets. */
function infoReader(request: ResourceRequest) {
  const bytesOf = bytesReader(request)
  const bucketInfo = (namespace: Namespace) => {
    const bytes = bytesOf(namespace)
    return ({ name, part }: Bucket): Members => ({
      namespace: namespace.name,
      name,
      vpool_id: GROUP,
      ...usageMembers(request, namespace, Math.floor(bytes * part), keyOf(name)),
      TagSet: TAGS,
    })
  }
  const hasBuckets = request.query.get('include_bucket_detail') === 'true'
  const namespaceInfo = (namespace: Namespace): Members => ({
    namespace: namespace.name,
    valid_namespace: 'true',
    ...usageMembers(request, namespace, bytesOf(namespace), namespace.key),
    bucket_billing_info: hasBuckets ? bucketsOf(namespace).map(bucketInfo(namespace)) : [],
    next_marker: '',
  })
  return { bucketInfo, namespaceInfo }
}

/** Usage is sampled every five minutes, and served 5 to 15 minutes later. */
function sampleTime({ now }: ResourceRequest, { key }: Namespace): number {
  return now - (now % SAMPLE_SECONDS) - SAMPLE_SECONDS * (1 + (key % 2))
}

/** Sizes as served, from bytes: KB is exact, the others are rounded. */
const UNITS: Readonly<Record<string, (bytes: number) => number>> = {
  KB: (bytes) => bytes / KIB,
  MB: (bytes) => Math.round((100 * bytes) / KIB ** 2) / 100,
  GB: (bytes) => Math.round(bytes / GIB),
}

/**
 * Usage in bytes and objects, and of multipart uploads that are not completed.
 * @throws EmulatedError 400 with code 1008 for an unknown `sizeunit`
 */
function usageMembers(request: ResourceRequest, namespace: Namespace, bytes: number, key: number): Members {
  const { query, profile, now } = request
  const name = query.get('sizeunit') ?? 'GB'
  const sizeOf = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined
  if (sizeOf === undefined)
    throw new EmulatedError('badParameter', `Parameter sizeunit must be KB, MB or GB, not "${name}"`)
  /** Releases have numbers, strings, or some of both. */
  const written = (value: number, salt: number) => {
    const isText = profile === 'classic' || (profile !== 'documented' && mix(key, salt) % 2 === 0)
    return isText ? String(value) : value
  }
  const multipartBytes = Math.floor(bytes * 0.02 * unit(namespace.key, 5))
  return {
    total_size: written(sizeOf(bytes), 1),
    total_size_unit: name,
    total_objects: written(Math.floor(bytes / namespace.objectBytes), 2),
    total_mpu_size: written(sizeOf(multipartBytes), 3),
    total_mpu_parts: written(Math.ceil(multipartBytes / (8 * KIB ** 2)), 4),
    sample_time: timeText(now),
    uptodate_till: timeText(sampleTime(request, namespace)),
  }
}
