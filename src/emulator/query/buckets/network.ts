import { BYTES_PER_MB } from '../../../catalogue.ts'
import type { NodeState } from '../../model/node_state.ts'
import { nic, trafficOf } from '../../model/traffic.ts'
import type { QueryInterface } from '../../protocol/profiles.ts'
import { NETWORK_BYTES, NETWORK_CLOCK } from '../points/counters.ts'
import type { NodeField, ValueType } from '../points/series.ts'

interface Interface {
  readonly name: string
  readonly part: number
}

/**
 * `public.data` and `public.repl` are VLANs of `public`, whose counters include them. `private.4` has no parent. So
 * `public` and `private.4` add up to the values of the dashboard API. No source has the names of version 3.
 */
const INTERFACES: Record<QueryInterface['network'], readonly Interface[]> = {
  v3: [
    { name: 'private', part: 0.125 },
    { name: 'public', part: 0.875 },
  ],
  v4: [
    { name: 'private.4', part: 0.125 },
    { name: 'public', part: 0.875 },
    { name: 'public.data', part: 0.8 },
    { name: 'public.repl', part: 0.01 },
  ],
}

const BYTES_PER_PACKET = 1_400
const BITS_PER_BYTE = 8
const PORTS = 2

/** A counter, from the bytes that the interface received and transmitted. */
type Count = (received: number, transmitted: number) => number

const COUNTERS: Readonly<Record<string, Count>> = {
  bytes_recv: (received) => received,
  bytes_sent: (_received, transmitted) => transmitted,
  drop_in: (received) => received / BYTES_PER_PACKET / BYTES_PER_MB,
  drop_out: () => 0,
  err_in: () => 0,
  err_out: () => 0,
  packets_recv: (received) => received / BYTES_PER_PACKET,
  packets_sent: (_received, transmitted) => transmitted / BYTES_PER_PACKET,
}
const COUNTERS_V4: Readonly<Record<string, Count>> = {
  ...COUNTERS,
  bytes_sum: (received, transmitted) => received + transmitted,
  packets_sum: (received, transmitted) => (received + transmitted) / BYTES_PER_PACKET,
}

/** Fields of measurement `net`. In version 3 `bytes_sum` is bytes per second, and there is no `speed`. */
export function networkFields(version: QueryInterface['network']): NodeField[] {
  return INTERFACES[version].flatMap((one) => {
    const bandwidth = (state: NodeState) => {
      const { received, transmitted } = nic(trafficOf(state))
      return (received + transmitted) * one.part
    }
    const utilization = (state: NodeState) => (100 * bandwidth(state) * PORTS) / state.node.nicCapacity
    const gauges =
      version === 'v4'
        ? [row(one, 'speed', 'long', (_source, state) => portSpeed(state))]
        : [
            row(one, 'bytes_sum', 'double', (_source, state) => bandwidth(state) * BYTES_PER_MB),
            row(one, 'utilization', 'double', (_source, state) => utilization(state)),
          ]
    const counters = Object.entries(version === 'v4' ? COUNTERS_V4 : COUNTERS)
    return [...counters.map(([field, count]) => counter(one, field, count)), ...gauges]
  })
}

/** Mbit/s: the interfaces of both ports have the capacity of the node. */
function portSpeed({ node }: NodeState): number {
  return (node.nicCapacity * BITS_PER_BYTE) / PORTS
}

function counter(one: Interface, field: string, count: Count): NodeField {
  return row(one, field, 'long', ({ counters }, { node }, k) => {
    const totals = counters(node, k)
    const [received = 0, transmitted = 0] = NETWORK_BYTES.map((slot) => totals[slot])
    return count(Math.floor(received * one.part), Math.floor(transmitted * one.part))
  })
}

function row({ name }: Interface, field: string, type: ValueType, value: NodeField['value']): NodeField {
  const tags = { interface: name, tag: 'system' }
  return { measurement: 'net', field, tags, type, clock: NETWORK_CLOCK, value }
}
