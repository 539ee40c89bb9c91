import { type Bucket, bucketsOf, type Namespace, namespacesOf } from '../model/system/namespaces.ts'
import { EmulatedError, findBy } from '../protocol/errors.ts'
import type { Document, Members } from '../protocol/format.ts'
import { pageOf, type ResourceRequest, wrapped } from './request.ts'

const GIB = 2 ** 30
const UNSET = -1
/** A secret that clients must not keep or show. */
export const MARKED_SECRET = 'emulator-secret-that-must-not-leak'
/** Names and texts of people, which are no labels. */
export const PRIVATE = { owner: 'owner-that-is-no-label', tag: 'tag-that-is-no-label' } as const
/** Tags of a bucket. */
export const TAGS = [{ Key: PRIVATE.tag, Value: PRIVATE.tag }]

/** `GET /object/namespaces`. Only in profile `modern` the list has the quotas. */
export function namespaceList(request: ResourceRequest): Document {
  const { page, members } = pageOf(request, namespacesOf(request.model))
  const namespace = page.map((one) => ({
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
  return wrapped(request, 'namespaces', { namespace, MaxNamespaces: page.length, ...members })
}

export function namespaceQuota(request: ResourceRequest): Document {
  const namespace = findNamespace(request, request.parameters[0] ?? '')
  return quotaDocument(request, 'namespace_quota_details', { namespace: namespace.name }, namespace)
}

/** `GET /object/bucket/{bucket}/quota?namespace=…` @throws EmulatedError 400 without a namespace */
export function bucketQuota(request: ResourceRequest): Document {
  const namespace = namespaceIn(request)
  const { name, hardQuotaBytes } = findBucket(namespace, request.parameters[0] ?? '')
  const names = { bucketname: name, namespace: namespace.name }
  return quotaDocument(request, 'bucket_quota_details', names, { hardQuotaBytes })
}

/** Profile `classic` has no quotas of objects. Older documents have strings. */
function quotaDocument(request: ResourceRequest, root: string, names: Members, quotas: Quotas): Document {
  const { blockSize, notificationSize, ...counts } = quotaMembers(quotas)
  const members = {
    ...names,
    blockSize,
    notificationSize,
    ...(request.profile !== 'classic' && counts),
  }
  const texts = Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]))
  return wrapped(request, root, request.profile === 'documented' ? texts : members)
}

type Quotas = Partial<Pick<Namespace, 'hardQuotaBytes' | 'softQuotaBytes' | 'quotaObjects'>>

function quotaMembers({ hardQuotaBytes, softQuotaBytes, quotaObjects = UNSET }: Quotas) {
  return {
    blockSize: gibOf(hardQuotaBytes),
    notificationSize: gibOf(softQuotaBytes),
    blockSizeInCount: quotaObjects,
    notificationSizeInCount: UNSET,
  }
}

function gibOf(bytes: number | undefined): number {
  return bytes === undefined ? UNSET : bytes / GIB
}

/** `GET /object/bucket?namespace=…` @throws EmulatedError 400 without a namespace */
export function bucketList(request: ResourceRequest): Document {
  const namespace = namespaceIn(request)
  const { page, members } = pageOf(request, bucketsOf(namespace))
  const object_bucket = page.map((bucket) => ({
    name: bucket.name,
    namespace: namespace.name,
    owner: PRIVATE.owner,
    vpool: 'urn:storageos:ReplicationGroupInfo:00000000-0000-0000-0000-000000000001:global',
    created: '2021-03-04T05:06:07.890Z',
    locked: false,
    fs_access_enabled: false,
    api_type: 'S3',
    default_retention: -2,
    block_size: gibOf(bucket.hardQuotaBytes),
    notification_size: UNSET,
    TagSet: TAGS,
  }))
  return wrapped(request, 'object_buckets', { object_bucket, MaxBuckets: page.length, ...members })
}

function namespaceIn(request: ResourceRequest): Namespace {
  const name = request.query.get('namespace')
  if (name === null) throw new EmulatedError('badParameter', 'Parameter namespace is required')
  return findNamespace(request, name)
}

/** @throws EmulatedError 404 */
export function findBucket(namespace: Namespace, name: string): Bucket {
  return findBy(bucketsOf(namespace), name, (one) => one.name === name)
}

/** @throws EmulatedError 404 */
export function findNamespace({ model }: ResourceRequest, name: string): Namespace {
  return findBy(namespacesOf(model), name, (one) => one.name === name)
}
