import { MS_PER_SECOND, SECONDS_PER_DAY } from '../../time_units.ts'
import { nodeId } from '../feed/node.ts'
import { spaceOf } from '../model/gauges.ts'
import { sum, uuidOf } from '../model/random.ts'
import { nodesAt } from '../model/topology.ts'
import { trafficOf } from '../model/traffic.ts'
import { EmulatedError } from '../protocol/errors.ts'
import type { Document } from '../protocol/format.ts'
import { PROFILES } from '../protocol/profiles.ts'
import { MARKED_SECRET } from './namespaces.ts'
import { type ResourceRequest, wrapped } from './request.ts'

const VALID_DAYS = 700
/** By the argument of the fault `license`. */
const EXPIRY_DAYS: Readonly<Record<string, number>> = { expiring: 20, expired: -10 }

export function vdcNodes({ model, profile, now }: ResourceRequest): Document {
  const { version } = PROFILES[profile]
  const isMixed = model.timeline.periodAt(now).scenario === 'upgrade'
  const newer = version.replace(
    /^(\d+\.\d+\.\d+\.)(\d+)/,
    (_, start: string, last: string) => `${start}${Number(last) + 1}`,
  )
  const found = model.pools.flatMap((pool) => nodesAt(pool, now))
  const node = found.map((one, index) => ({
    nodename: one.name,
    nodeid: nodeId(profile, one),
    mgmt_ip: one.address,
    data_ip: one.dataAddress,
    rackId: `rack-${one.pool.index + 1}`,
    version: isMixed && one.index % 2 === 0 ? newer : version,
    isLocal: index === 0,
  }))
  return { root: 'nodes', members: { node } }
}

/** Connections that are open for each request in flight, most of them idle. */
const CONNECTIONS_PER_REQUEST = 12

/** `GET /?ping` at the data address of a node; at another address, of the first node. */
export function ping({ model, now, query, context }: ResourceRequest): Document {
  const { localAddress = '' } = context.socket
  const nodes = model.pools.flatMap((pool) => nodesAt(pool, now))
  const [first] = nodes
  const node = nodes.find(({ dataAddress }) => localAddress.endsWith(dataAddress)) ?? first
  if (node === undefined || !query.has('ping'))
    throw new EmulatedError('notFound', 'There is nothing under /')
  const state = model.stateOf(node, now)
  const { read, write } = trafficOf(state)
  const inFlight = [read, write].map(({ perSecond, latencyMs }) => (perSecond * latencyMs) / MS_PER_SECOND)
  const connections = Math.round(CONNECTIONS_PER_REQUEST * sum(inFlight))
  const isInMaintenance = state.effects.health === 'Maintenance'
  const maintenance = {
    Name: 'MAINTENANCE_MODE',
    Status: isInMaintenance ? 'ON' : 'OFF',
    Text: isInMaintenance ? 'Data Node is in Maintenance' : 'Data Node is Available',
  }
  const load = { Name: 'LOAD_FACTOR', Value: connections }
  const items = query.get('item') === 'load-factor' ? [load] : [load, maintenance]
  return { root: 'PingList', members: { PingItem: items } }
}

/** `GET /object/capacity`, in whole GiB. */
export function capacity(request: ResourceRequest): Document {
  const { model, profile, now } = request
  const nodes = model.pools.flatMap((pool) => nodesAt(pool, now))
  const spaces = nodes.map((node) => spaceOf(model.stateOf(node, now)))
  const gib = (bytes: readonly number[]) => {
    const rounded = Math.round(sum(bytes) / 2 ** 30)
    return profile === 'documented' ? String(rounded) : rounded
  }
  return wrapped(request, 'cluster_capacity', {
    totalProvisioned_gb: gib(spaces.map(({ total }) => total)),
    totalFree_gb: gib(spaces.map(({ free }) => free)),
  })
}

/** `GET /license`. Version 3.5 has no date of expiry. */
export function license(request: ResourceRequest): Document {
  const { model, profile, now, settings } = request
  const midnight = now - (now % SECONDS_PER_DAY)
  const feature = {
    serial: uuidOf(model.key).slice(0, 14),
    version: '2.0',
    issued_date: '01/10/2020',
    ...(profile !== 'classic' && {
      expiration_date: dateText(
        midnight + (EXPIRY_DAYS[settings.license ?? ''] ?? VALID_DAYS) * SECONDS_PER_DAY,
      ),
    }),
    model: 'ViPR_Unstructured',
    product: 'ECS',
    expired_ind: settings.license === 'expired',
  }
  return wrapped(request, 'license', {
    license_feature: [feature],
    license_text: `INCREMENT ${MARKED_SECRET}`,
  })
}

function dateText(seconds: number): string {
  const [year, month, day] = new Date(seconds * MS_PER_SECOND).toISOString().slice(0, 10).split('-')
  return `${month}/${day}/${year}`
}
