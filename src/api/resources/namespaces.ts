import type { ResourcesConfig } from '../../config/config.ts'
import { OBJECT_KINDS, type ObjectKind } from '../../system_catalogue.ts'
import { boundedName, MAX_ID_CHARACTERS } from '../../values/names.ts'
import { ApiError } from '../errors/errors.ts'
import { type JsonObject, member, type Rejection, readText } from '../parse/json.ts'
import { decodeObject, hasMembers, type ResourceObject, valuesOf } from './objects.ts'
import {
  nameFilter,
  type ReadingContext,
  type ResourceRequest,
  readObjects,
  readPages,
  requestOf,
} from './requests.ts'

/** An entry of a list, with the object of its quota if the list has it. */
interface ListedName {
  readonly name: string
  readonly quota: ResourceObject | undefined
}

const NAMES = { ...OBJECT_KINDS.quota, list: ['namespace', 'namespaces'] }

/** As the system has it, with blanks around it. */
function servedName(entry: JsonObject): unknown {
  return [member(entry, 'name'), member(entry, 'id')].find((text) => readText(text) !== undefined)
}

/** A name that can be part of a path; of a namespace or a bucket. */
function nameIn(entry: JsonObject): string | undefined {
  const name = readText(servedName(entry))
  const isUsable = name !== undefined && name.length <= MAX_ID_CHARACTERS && !/^\.+$/.test(name)
  return isUsable ? name : undefined
}

function listNamespaces(context: ReadingContext): Promise<ListedName[]> {
  const isSelected = nameFilter(context.resources.namespaces)
  const request: ResourceRequest = { operation: 'namespaces', path: '/object/namespaces' }
  return context.refusals.run(request.path, () => listNames(context, { request, kind: NAMES, isSelected }))
}

interface NameList {
  readonly request: ResourceRequest
  readonly kind: ObjectKind
  readonly isSelected?: (name: string) => boolean
  /** Members that the entries lack. */
  readonly members?: JsonObject
}

/** The entries of all pages that have a name, each once: the page after a marker may begin with the entry of the marker. */
export async function listNames(
  context: ReadingContext,
  { request, kind, isSelected = () => true, members }: NameList,
): Promise<ListedName[]> {
  const { rejected } = context.builder
  const served = new Map<string, unknown>()
  const reject = (reason: Rejection, text: string) =>
    rejected.add({ attribute: request.operation, reason, node: '', text })
  const nameOf = (entry: JsonObject): string | undefined => {
    const name = nameIn(entry)
    if (name === undefined) reject('no_id', '')
    // A repeated entry is no loss, but one whose name has other blanks is.
    else if (served.has(name) && served.get(name) !== servedName(entry)) reject('duplicate', name)
    if (name !== undefined) served.set(name, servedName(entry))
    return name
  }
  const list = await readPages(context, request, kind, (entry, { now }): ListedName | undefined => {
    const name = nameOf(entry)
    if (name === undefined || !isSelected(name)) return undefined
    const object = { ...entry, ...members, name }
    // A list whose quotas are null does not have them.
    const known = Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null))
    const isQuota = hasMembers(known, kind)
    return { name, quota: isQuota ? decodeObject(object, kind, { now, rejected }) : undefined }
  })
  return [...new Map(list.map((entry) => [entry.name, entry])).values()]
}

/** Objects that are exported together, with their size. */
interface Sized {
  readonly key: string
  readonly size: number
  readonly objects: readonly ResourceObject[]
}

export function createNamespaceReader({ namespaces }: ResourcesConfig) {
  const selection = createSelection(namespaces.max)
  return async (context: ReadingContext): Promise<void> => {
    const names = (await listNamespaces(context)).map(({ name }) => name)
    const found = (await readUsage(context, OBJECT_KINDS.namespace, names)).map((object) => ({
      key: object.labels[0] ?? '',
      size: valuesOf(object, 'sds_namespace_used_bytes')[0] ?? 0,
      objects: [object],
    }))
    addSelected(context, selection.select(selection.candidates(found)), found.length)
  }
}

/** @param total number of those that could be selected */
function addSelected({ builder }: ReadingContext, selected: readonly Sized[], total: number): void {
  builder.add(selected.flatMap(({ objects }) => objects))
  builder.leaveOut(total - selected.length)
}

/** No published client sends more. */
const BATCH_NAMES = 100

/** The usage of namespaces, or of the buckets of one, in a request for each hundred names. */
async function readUsage(
  context: ReadingContext,
  kind: ObjectKind,
  names: readonly string[],
  namespace?: string,
): Promise<ResourceObject[]> {
  const objects: ResourceObject[] = []
  const idOf = namespace === undefined ? undefined : () => namespace
  for (let start = 0; start < names.length; start += BATCH_NAMES) {
    const body = JSON.stringify({ id: names.slice(start, start + BATCH_NAMES) })
    const request = { ...requestOf(kind, namespace), body }
    objects.push(...(await context.refusals.run(kind.path, () => readObjects(context, kind, request, idOf))))
  }
  return objects
}

/** The names of the namespaces that are exported; undefined if they are not known. */
function exportedNamespaces({ known }: ReadingContext): readonly string[] | undefined {
  return known('namespace')?.objects.map(({ labels }) => labels[0] ?? '')
}

export async function readQuotas(context: ReadingContext): Promise<void> {
  const { resources, builder } = context
  const list = await listNamespaces(context)
  const exported = exportedNamespaces(context)
  const read = exported === undefined ? list.slice(0, resources.namespaces.max) : onlyNamed(list, exported)
  const shown = singleNames(context, read)
  builder.leaveOut(list.length - shown.length)
  const isListed = list.some(({ quota }) => quota !== undefined)
  const objects = isListed
    ? shown.flatMap(({ quota }) => quota ?? [])
    : await readEachQuota(
        context,
        shown.map(({ name }) => name),
      )
  builder.add(objects)
}

/** Those that take a request each: the first of those that are exported, where a command does not read all. */
function singleNames(context: ReadingContext, list: readonly ListedName[]): readonly ListedName[] {
  const { maxSingle } = context
  if (maxSingle === undefined) return list
  const known = exportedNamespaces(context)
  return (known === undefined ? list : onlyNamed(list, known.slice(0, maxSingle))).slice(0, maxSingle)
}

function onlyNamed(list: readonly ListedName[], names: readonly string[]): ListedName[] {
  const wanted = new Set(names)
  return list.filter(({ name }) => wanted.has(boundedName(name)))
}

/** One request for each namespace, spread over the time of the context. Namespaces that are gone are left out. */
async function readEachQuota(context: ReadingContext, names: readonly string[]): Promise<ResourceObject[]> {
  const kind = OBJECT_KINDS.quota
  const { refusals, signal, pause, spreadMs } = context
  const objects: ResourceObject[] = []
  const isFound = createFoundCheck(names.length)
  await refusals.run(kind.path, async () => {
    for (const [index, name] of names.entries()) {
      if (index > 0 && spreadMs > 0) await pause(spreadMs / names.length, signal)
      const [object] =
        (await isFound(() => readObjects(context, kind, requestOf(kind, name), () => ''))) ?? []
      if (object !== undefined) objects.push({ ...object, labels: [boundedName(name)], id: undefined })
    }
  })
  return objects
}

/** Unknown namespaces before the first known one, after which the request counts as not served; of fewer, all. */
const MAX_UNKNOWN = 3

/** Requests for one of `count` namespaces each; undefined for one that does not exist any more. */
function createFoundCheck(count: number) {
  let found = 0
  let unknown = 0
  return async <T>(request: () => Promise<T>): Promise<T | undefined> => {
    try {
      const result = await request()
      found += 1
      return result
    } catch (failure) {
      const isGone = failure instanceof ApiError && (failure.status === 404 || failure.status === 400)
      unknown += 1
      if (!isGone || (found === 0 && unknown >= Math.min(MAX_UNKNOWN, count))) throw failure
      return undefined
    }
  }
}

/** What was selected stays until it is beyond this multiple of the limit, so that the selection is stable. */
const KEPT_SHARE = 1.5

/** Selects the largest items repeatedly. */
function createSelection(max: number) {
  let selected: ReadonlySet<string> = new Set()
  return {
    /** Items of several lists that can still be selected. */
    candidates: (items: readonly Sized[]): readonly Sized[] =>
      items
        .toSorted((a, b) => b.size - a.size || (a.key < b.key ? -1 : 1))
        .slice(0, Math.ceil(max * KEPT_SHARE)),
    /** @param list candidates */
    select(list: readonly Sized[]): readonly Sized[] {
      const kept = list.filter(({ key }) => selected.has(key)).slice(0, max)
      const others = list.filter(({ key }) => !selected.has(key))
      const result = [...kept, ...others].slice(0, max)
      selected = new Set(result.map(({ key }) => key))
      return result
    },
  }
}

const LISTED_BUCKETS = OBJECT_KINDS.bucketQuota
const BUCKET_COUNT = OBJECT_KINDS.bucketCount

/** Reads the buckets of all namespaces, one after the other, and exports the largest. */
export function createBucketReader({ buckets }: ResourcesConfig) {
  const selection = createSelection(buckets.max)
  const isSelected = nameFilter(buckets)
  async function addBuckets(context: ReadingContext, names: readonly string[]): Promise<void> {
    const { builder } = context
    const { rejected } = builder
    let found: readonly Sized[] = []
    let total = 0
    const isFound = createFoundCheck(names.length)
    for (const namespace of names) {
      const request = { ...requestOf(LISTED_BUCKETS), query: `namespace=${encodeURIComponent(namespace)}` }
      const listed = await isFound(() =>
        listNames(context, { request, kind: LISTED_BUCKETS, members: { namespace } }),
      )
      if (listed === undefined) continue
      const count = { namespace, buckets: listed.length }
      builder.add([decodeObject(count, BUCKET_COUNT, { now: 0, rejected }) ?? []].flat())
      const chosen = listed.filter(({ name }) => isSelected(`${namespace}/${name}`))
      const used = await readBucketUsage(context, namespace, chosen)
      total += used.length
      found = selection.candidates([...found, ...used])
    }
    addSelected(context, selection.select(found), total)
  }

  return async (context: ReadingContext): Promise<void> => {
    const names = singleNames(context, await listNamespaces(context)).map(({ name }) => name)
    // For all namespaces together: one that does not exist any more is no refusal.
    await context.refusals.run(LISTED_BUCKETS.path, () => addBuckets(context, names))
  }
}

async function readBucketUsage(
  context: ReadingContext,
  namespace: string,
  listed: readonly ListedName[],
): Promise<Sized[]> {
  const quotas = new Map(listed.map(({ name, quota }) => [boundedName(name), quota]))
  const names = listed.map(({ name }) => name)
  const objects = await readUsage(context, OBJECT_KINDS.bucket, names, namespace)
  return objects.map((object) => bucketOf(namespace, object, quotas))
}

function bucketOf(
  namespace: string,
  object: ResourceObject,
  quotas: ReadonlyMap<string, ResourceObject | undefined>,
): Sized {
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
