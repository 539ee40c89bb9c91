import type { ResourcesConfig } from '../../config/config.ts'
import { OBJECT_KINDS } from '../../system_catalogue.ts'
import { boundedName } from '../../values/names.ts'
import {
  createFoundCheck,
  createSelection,
  exportedNamespaces,
  type ListedName,
  listNames,
  listNamespaces,
  type Sized,
  singleNames,
} from './namespaces.ts'
import { decodeObject, type ResourceObject, valuesOf } from './objects.ts'
import { batchesOf, nameFilter, type ReadingContext, readObjects, requestOf } from './requests.ts'

interface Bucket extends Sized {
  readonly objects: readonly ResourceObject[]
}

const USAGE = OBJECT_KINDS.bucket
const LISTED = OBJECT_KINDS.bucketQuota
const COUNT = OBJECT_KINDS.bucketCount

/** Reads the buckets of all namespaces, one after the other, and exports the largest. */
export function createBucketReader({ buckets }: ResourcesConfig) {
  const selection = createSelection<Bucket>(buckets.max)
  const isSelected = nameFilter(buckets)
  async function addBuckets(context: ReadingContext, names: readonly string[]): Promise<void> {
    const { builder } = context
    const exported = exportedNamespaces(context)
    let found: readonly Bucket[] = []
    let total = 0
    const isFound = createFoundCheck(names.length)
    for (const namespace of names) {
      const request = { ...requestOf(LISTED), query: `namespace=${encodeURIComponent(namespace)}` }
      const listed = await isFound(() =>
        listNames(context, { request, kind: LISTED, members: { namespace } }),
      )
      if (listed === undefined) continue
      if (exported?.includes(boundedName(namespace)) ?? true)
        builder.add([countObject(namespace, listed.length, context)])
      const chosen = listed.filter(({ name }) => isSelected(`${namespace}/${name}`))
      const used = await readUsage(context, namespace, chosen)
      total += used.length
      found = selection.candidates([...found, ...used])
    }
    const selected = selection.select(found)
    builder.add(selected.flatMap(({ objects }) => objects))
    builder.leaveOut(total - selected.length)
  }

  return async (context: ReadingContext): Promise<void> => {
    const names = singleNames(context, await listNamespaces(context)).map(({ name }) => name)
    // For all namespaces together: one that does not exist any more is no refusal.
    await context.refusals.run(LISTED.path, () => addBuckets(context, names))
  }
}

function countObject(
  namespace: string,
  buckets: number,
  { builder: { rejected } }: ReadingContext,
): ResourceObject {
  const object = decodeObject({ namespace, buckets }, COUNT, { now: 0, rejected })
  if (object === undefined) throw new RangeError('a namespace without a name')
  return object
}

async function readUsage(
  context: ReadingContext,
  namespace: string,
  listed: readonly ListedName[],
): Promise<Bucket[]> {
  const quotas = new Map(listed.map(({ name, quota }) => [boundedName(name), quota]))
  const request = requestOf(USAGE, namespace)
  const buckets: Bucket[] = []
  for (const names of batchesOf(listed.map(({ name }) => name))) {
    const body = JSON.stringify({ id: names })
    const objects = await context.refusals.run(USAGE.path, () =>
      readObjects(context, USAGE, { ...request, body }, () => namespace),
    )
    for (const object of objects) buckets.push(bucketOf(namespace, object, quotas))
  }
  return buckets
}

function bucketOf(
  namespace: string,
  object: ResourceObject,
  quotas: ReadonlyMap<string, ResourceObject | undefined>,
): Bucket {
  const [, bucket = ''] = object.labels
  const quota = quotas.get(bucket)
  return {
    key: JSON.stringify([namespace, bucket]),
    size: valuesOf(object, 'sds_bucket_used_bytes')[0] ?? 0,
    objects: [
      { ...object, labels: [boundedName(namespace), bucket], id: undefined },
      ...(quota === undefined ? [] : [quota]),
    ],
  }
}
