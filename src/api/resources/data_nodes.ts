import { isIP } from 'node:net'
import type { SystemConfig } from '../../config/config.ts'
import type { DataPortConfig } from '../../config/sections.ts'
import { kindWith, OBJECT_KINDS } from '../../system_catalogue.ts'
import { ApiError, asApiError } from '../errors/errors.ts'
import { createExchanges, type ExchangesOptions } from '../http/exchanges.ts'
import { createSemaphore, withDeadline } from '../http/waiting.ts'
import { isObject, type JsonObject, member, readText } from '../parse/json.ts'
import { parseBody } from '../parse/xml.ts'
import { decodeObject, hasMembers, listIn, type ResourceObject } from './objects.ts'
import { isNotAvailable } from './refusals.ts'
import { type DataPorts, nameFilter, type ReadingContext, readObjects, requestOf } from './requests.ts'

const KIND = OBJECT_KINDS.dataNode
const NODES = kindWith('isOfNodes')
/** Time for one node, with the connection. */
const TIMEOUT_MS = 5000
/** A response has about 300 characters. */
const MAX_RESPONSE_BYTES = 65_536
/** Each node is asked once an interval: no connection stays open. */
const HEADERS = { Accept: 'application/xml', Connection: 'close' }

interface DataPortsOptions extends Pick<ExchangesOptions, 'observer' | 'httpLimits'> {
  readonly system: Pick<SystemConfig, 'name' | 'limits' | 'poll'>
}

/** Not with the session of the exporter: no token is sent, and failures say nothing of the management API. */
export function createDataPorts({ system, observer, ...options }: DataPortsOptions) {
  const { exchanged, received } = observer
  const { limits, poll } = system
  const timeoutMs = Math.min(poll.timeoutMs, TIMEOUT_MS)
  return ({ tls, scheme, port, maintenance }: DataPortConfig): DataPorts => {
    const { exchange, close } = createExchanges({
      ...options,
      ...{ tls, timeoutMs, isOwn: false, pace: async () => undefined },
      limits: { ...limits, maxResponseBytes: Math.min(limits.maxResponseBytes, MAX_RESPONSE_BYTES) },
      observer: { exchanged, ...(received && { received }) },
    })
    // The maintenance mode costs the node more than the number of connections.
    const query = `${KIND.query}${maintenance ? '' : '&item=load-factor'}`
    const request = { operation: KIND.resource, path: KIND.path, query, headers: HEADERS }
    return {
      close,
      async read(address, signal, decode) {
        const url = `${scheme}://${isIP(address) === 6 ? `[${address}]` : address}:${port}`
        try {
          if (isIP(address) === 0 || !URL.canParse(url)) throw new ApiError('not_found', NO_ADDRESS)
          return await withDeadline(signal, timeoutMs, async (bounded) => {
            const response = await exchange(request, url, bounded)
            return response.decode((text) => decode(parseBody(text)))
          })
        } catch (failure) {
          signal.throwIfAborted()
          throw asApiError(failure, { system: system.name, operation: KIND.resource, path: KIND.path })
        }
      },
    }
  }
}

const NO_ADDRESS = 'the list of nodes has no data address (data_ip) of the node'

/** Addresses that do not answer take five seconds each, so that 640 of them end within the interval of five minutes. */
const MAX_AT_ONCE = 16

/** Reads the data port of each node of the inventory, or else of a list. One that does not answer is left out. */
export async function readDataPorts(context: ReadingContext): Promise<void> {
  const { resources, openDataPorts, builder, signal, refusals, known } = context
  const { dataPort, ...filter } = resources[KIND.resource]
  if (dataPort === undefined) throw new RangeError('no data port is configured')
  const request = { ...requestOf(NODES), operation: KIND.resource }
  const listed =
    known(NODES.name)?.objects ?? (await refusals.run(NODES.path, () => readObjects(context, NODES, request)))
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
