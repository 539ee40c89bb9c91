import { BYTES_PER_MB } from '../../../catalogue.ts'
import { ATTRIBUTE_VALUES } from '../../model/attribute_values.ts'
import type { NodeState } from '../../model/node_state.ts'
import type { QueryInterface } from '../../protocol/profiles.ts'
import { NETWORK } from '../points/counter_groups.ts'
import type { NodeField, Source } from '../points/series.ts'

/** An interface, and its part of the traffic of the node. */
interface Interface {
  readonly name: string
  readonly part: number
}

/**
 * `public.data` and `public.repl` are VLANs of `public`, whose counters include them. `private.4` has no parent. So
 * `public` and `private.4` add up to the figures of the nodes feed. No source has the names of version 3.
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

/** Fields of measurement `net`. In version 3 `bytes_sum` is bytes per second, and there is no `speed`. */
export function networkFields(version: QueryInterface['network']): NodeField[] {
  return INTERFACES[version].flatMap((one) => [
    ...counters(one),
    ...(version === 'v4' ? fieldsOfVersion4(one) : fieldsOfVersion3(one)),
  ])
}

type Received = (received: number, transmitted: number) => number

function counters(one: Interface): NodeField[] {
  return [
    counter(one, 'bytes_recv', (received) => received),
    counter(one, 'bytes_sent', (_received, transmitted) => transmitted),
    counter(one, 'drop_in', (received) => received / BYTES_PER_PACKET / BYTES_PER_MB),
    counter(one, 'drop_out', () => 0),
    counter(one, 'err_in', () => 0),
    counter(one, 'err_out', () => 0),
    counter(one, 'packets_recv', (received) => received / BYTES_PER_PACKET),
    counter(one, 'packets_sent', (_received, transmitted) => transmitted / BYTES_PER_PACKET),
  ]
}

function fieldsOfVersion4(one: Interface): NodeField[] {
  return [
    counter(one, 'bytes_sum', (received, transmitted) => received + transmitted),
    counter(one, 'packets_sum', (received, transmitted) => (received + transmitted) / BYTES_PER_PACKET),
    { ...row(one, 'speed', (_source, state) => portSpeed(state)), type: 'long' },
  ]
}

function fieldsOfVersion3(one: Interface): NodeField[] {
  const bandwidth = (state: NodeState) => ATTRIBUTE_VALUES.nodeNicBandwidth(state) * one.part
  return [
    { ...row(one, 'bytes_sum', (_source, state) => bandwidth(state) * BYTES_PER_MB), type: 'double' },
    {
      ...row(
        one,
        'utilization',
        (_source, state) => (100 * bandwidth(state) * PORTS) / state.node.nicCapacity,
      ),
      type: 'double',
    },
  ]
}

/** Mbit/s: the interfaces of both ports have the capacity of the node. */
function portSpeed({ node }: NodeState): number {
  return (node.nicCapacity * BITS_PER_BYTE) / PORTS
}

function counter(one: Interface, field: string, of: Received): NodeField {
  return row(one, field, ({ counters }, { node }, k) => {
    const [received = 0, transmitted = 0] = counters(NETWORK, node, k)
    return of(Math.floor(received * one.part), Math.floor(transmitted * one.part))
  })
}

function row(
  one: Interface,
  field: string,
  value: (source: Source, state: NodeState, k: number) => number,
): NodeField {
  return {
    measurement: 'net',
    field,
    tags: { interface: one.name, tag: 'system' },
    type: 'long',
    clock: NETWORK.clock,
    value,
  }
}
