import { timeText } from '../../time_units.ts'
import { oncePerKey } from '../../values/memo.ts'
import { keyOf, mix } from '../model/random.ts'
import {
  type Bucket,
  bucketsOf,
  bucketUsage,
  type Namespace,
  namespaceData,
  namespacesOf,
  type Usage,
  usageOf,
} from '../model/system/namespaces.ts'
import { EmulatedError } from '../protocol/errors.ts'
import type { Document, Members } from '../protocol/format.ts'
import { isObject, parsedJson } from '../protocol/format.ts'
import { findBucket, findNamespace, TAGS } from './namespaces.ts'
import { type ResourceRequest, wrapped } from './request.ts'

const KIB = 1_024
const SAMPLE_SECONDS = 300

/** Sizes as served, from bytes: KB is exact, the others are rounded. */
const UNITS: Readonly<Record<string, (bytes: number) => number>> = {
  KB: (bytes) => bytes / KIB,
  MB: (bytes) => Math.round((100 * bytes) / KIB ** 2) / 100,
  GB: (bytes) => Math.round(bytes / KIB ** 3),
}

/** `POST /object/billing/namespace/info` with `{"id": […]}` @throws EmulatedError for other bodies */
export function namespaceUsages(request: ResourceRequest): Document {
  const { model } = request
  const byName = new Map(namespacesOf(model).map((one) => [one.name, one]))
  const usages = usageReader(request)
  const infos = idsIn(request).map((name) => {
    const namespace = byName.get(name)
    if (namespace !== undefined) return namespaceInfo(request, namespace, usages(namespace))
    return { namespace: name, valid_namespace: 'false', total_size: '0', total_objects: '0' }
  })
  return listOf(request, 'namespace_billing_info', infos)
}

/** @throws EmulatedError 404 */
export function namespaceUsage(request: ResourceRequest): Document {
  const namespace = findNamespace(request, request.parameters[0] ?? '')
  const info = namespaceInfo(request, namespace, usageReader(request)(namespace))
  return wrapped(request, 'namespace_billing_info', info)
}

/** @throws EmulatedError 404 */
export function bucketUsageDocument(request: ResourceRequest): Document {
  const namespace = findNamespace(request, request.parameters[0] ?? '')
  const bucket = findBucket(namespace, request.parameters[1] ?? '')
  const usage = usageReader(request)(namespace)
  return wrapped(request, 'bucket_billing_info', bucketInfo(request, namespace, usage, bucket))
}

/** `POST /object/billing/buckets/{namespace}/info` with `{"id": […]}`. Unknown names are missing in the answer. */
export function bucketUsages(request: ResourceRequest): Document {
  const namespace = findNamespace(request, request.parameters[0] ?? '')
  const usage = usageReader(request)(namespace)
  const byName = new Map(bucketsOf(namespace).map((bucket) => [bucket.name, bucket]))
  const infos = idsIn(request).flatMap((name) => {
    const bucket = byName.get(name)
    return bucket === undefined ? [] : [bucketInfo(request, namespace, usage, bucket)]
  })
  return listOf(request, 'bucket_billing_info', infos)
}

/** In the JSON of real systems, the list has the plural name of the root element. */
function listOf({ profile }: ResourceRequest, name: string, infos: readonly Members[]): Document {
  const root = `${name}s`
  const members = { [name]: infos }
  return { root, members, json: { [root]: profile === 'documented' ? members : infos } }
}

/** As on real systems, `{}` has no ids, no body is refused with 415, `[]` with 400, `null` with 500. */
function idsIn({ body, context }: ResourceRequest): readonly string[] {
  const contentType = context.get('content-type')
  if (body === '' || !contentType.startsWith('application/json')) {
    throw new EmulatedError('mediaType', `The body must be JSON, not "${contentType}"`)
  }
  const value = parsedJson(body)
  if (value === null) throw new EmulatedError('failure', 'The body is null')
  if (!isObject(value)) throw new EmulatedError('notAUrn', 'The body must be a JSON object')
  return [value['id']].flat().filter((id) => typeof id === 'string')
}

/** Usage is sampled every five minutes, and served 5 to 15 minutes later. */
function sampleTime({ now }: ResourceRequest, { key }: Namespace): number {
  return now - (now % SAMPLE_SECONDS) - SAMPLE_SECONDS * (1 + (key % 2))
}

/** Reads the usage of namespaces; their data is computed once for each time. */
function usageReader(request: ResourceRequest): (namespace: Namespace) => Usage {
  const { model } = request
  const dataAt = oncePerKey((t: number) => namespaceData(model, t))
  return (namespace) => {
    const t = sampleTime(request, namespace)
    return usageOf(model, namespace, t, dataAt(t))
  }
}

function namespaceInfo(request: ResourceRequest, namespace: Namespace, usage: Usage): Members {
  const hasBuckets = request.query.get('include_bucket_detail') === 'true'
  return {
    namespace: namespace.name,
    valid_namespace: 'true',
    ...usageMembers(request, namespace, usage, namespace.key),
    bucket_billing_info: hasBuckets
      ? bucketsOf(namespace).map((bucket) => bucketInfo(request, namespace, usage, bucket))
      : [],
    next_marker: '',
  }
}

/** @param ofNamespace the usage of its namespace */
function bucketInfo(
  request: ResourceRequest,
  namespace: Namespace,
  ofNamespace: Usage,
  bucket: Bucket,
): Members {
  const { name } = bucket
  const usage = bucketUsage(namespace, ofNamespace, bucket)
  return {
    namespace: namespace.name,
    name,
    vpool_id: 'urn:storageos:ReplicationGroupInfo:00000000-0000-0000-0000-000000000001:global',
    ...usageMembers(request, namespace, usage, keyOf(name)),
    TagSet: TAGS,
  }
}

/** @throws EmulatedError 400 with code 1008 for an unknown `sizeunit` */
function usageMembers(request: ResourceRequest, namespace: Namespace, usage: Usage, key: number): Members {
  const { query, profile, now } = request
  const unit = query.get('sizeunit') ?? 'GB'
  const sizeOf = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined
  if (sizeOf === undefined)
    throw new EmulatedError('badParameter', `Parameter sizeunit must be KB, MB or GB, not "${unit}"`)
  /** Releases have numbers, strings, or some of both. */
  const written = (value: number, salt: number) => {
    const isText = profile === 'classic' || (profile !== 'documented' && mix(key, salt) % 2 === 0)
    return isText ? String(value) : value
  }
  return {
    total_size: written(sizeOf(usage.bytes), 1),
    total_size_unit: unit,
    total_objects: written(usage.objects, 2),
    total_mpu_size: written(sizeOf(usage.multipartBytes), 3),
    total_mpu_parts: written(usage.multipartParts, 4),
    sample_time: timeText(now),
    uptodate_till: timeText(sampleTime(request, namespace)),
  }
}
