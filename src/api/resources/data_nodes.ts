import { kindWith } from '../../system_catalogue.ts'
import { ApiError } from '../errors/errors.ts'
import { createSemaphore } from '../http/waiting.ts'
import { isObject, type JsonObject, member, readText } from '../parse/json.ts'
import { nameFilter, type ReadingContext, readObjects } from './context.ts'
import type { DataPorts } from './data_ports.ts'
import { hasMembers, listIn } from './lists.ts'
import { decodeObject, kindOf, type ResourceObject } from './objects.ts'
import { isNotAvailable } from './refusals.ts'
import { requestOf } from './requests.ts'

const KIND = kindOf('dataNode')
const NODES = kindWith('isOfNodes')
/** Addresses that do not answer take five seconds each, so that 640 of them end within the interval of five minutes. */
const MAX_AT_ONCE = 16

/** Reads the data port of each node that the system lists. One that does not answer is left out. */
export async function readDataPorts(context: ReadingContext): Promise<void> {
  const { resources, openDataPorts, builder, signal, refusals } = context
  const { dataPort, ...filter } = resources[KIND.resource]
  if (dataPort === undefined) throw new RangeError('no data port is configured')
  const request = { ...requestOf(NODES), operation: KIND.resource }
  const listed = await refusals.run(NODES.path, () => readObjects(context, NODES, request))
  const isSelected = nameFilter(filter)
  const nodes = listed.filter(({ id, labels: [name = id ?? ''] }) => isSelected(name))
  const ports = openDataPorts(dataPort)
  const permits = createSemaphore(MAX_AT_ONCE)
  try {
    const readings = nodes.map((node) => permits.run(() => readNode(context, ports, node), { signal }))
    const outcomes = await Promise.allSettled(readings)
    signal.throwIfAborted()
    const found = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const failures = outcomes.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []))
    for (const failure of failures) if (!(failure instanceof ApiError)) throw failure
    if (failures.length > 0 && found.length === 0) throw noAnswer(failures[0])
    builder.add(found)
    builder.leaveOut(failures.length)
  } finally {
    await ports.close()
  }
}

/** The management API may be well, so it is no failure of the system. */
function noAnswer(first: unknown): unknown {
  if (!(first instanceof ApiError) || isNotAvailable(first)) return first
  const { reason, detail } = first
  const remedy = `open the data port of the nodes to this machine, and correct resources.${KIND.resource}`
  return new ApiError('local', `no node answered at its data port: ${reason}: ${detail}`, {
    cause: first,
    remedy,
  })
}

/** What a node says of itself, in items with a value or a status. */
function readNode(
  { builder: { rejected }, signal }: ReadingContext,
  ports: DataPorts,
  { id, labels: [name], details }: ResourceObject,
): Promise<ResourceObject[]> {
  return ports.read(details['dataAddress'] ?? '', signal, (body) => {
    const items = listIn(body, KIND).filter(isObject).map(itemIn)
    const entry = { ...Object.fromEntries(items), nodename: name, nodeid: id }
    if (!hasMembers(entry, KIND)) throw new ApiError('schema', 'the node says nothing that is exported')
    const object = decodeObject(entry, KIND, { now: 0, rejected })
    return object === undefined ? [] : [object]
  })
}

/** A status that the node does not know is none. */
function itemIn(item: JsonObject): [name: string, value: string | undefined] {
  const status = readText(member(item, 'Status'))
  const value = readText(member(item, 'Value')) ?? (status === 'UNKNOWN' ? undefined : status)
  return [readText(member(item, 'Name')) ?? '', value]
}
