import { ATTRIBUTE_VALUES } from '../../model/attribute_values.ts'
import type { NodeState } from '../../model/node_state.ts'
import { mix, smoothNoise } from '../../model/random.ts'
import { rounded } from '../../model/traffic.ts'
import { opClock } from '../points/grid.ts'
import type { NodeField, ValueType } from '../points/series.ts'

const IO_WAIT = 72
const IO_WAIT_SECONDS = 1_800

/** Measurement `cpu` in percent: user, nice and system add up to the figure of the nodes feed, all fields to 100. */
export const CPU_FIELDS: readonly NodeField[] = fieldsOf(
  'cpu',
  { cpu: 'cpu-total' },
  () => 'double',
  cpuOf,
  ['guest', 'guest_nice', 'idle', 'iowait', 'irq', 'nice', 'softirq', 'steal', 'system', 'user'].map(
    (name) => `usage_${name}`,
  ),
)

/** Measurement `mem`: used, free, buffered and cached add up to the total. */
export const MEMORY_FIELDS: readonly NodeField[] = fieldsOf(
  'mem',
  {},
  (field) => (field.endsWith('_percent') ? 'double' : 'long'),
  memoryOf,
  ['available', 'available_percent', 'buffered', 'cached', 'free', 'total', 'used', 'used_percent'],
)

function fieldsOf(
  measurement: string,
  tags: Readonly<Record<string, string>>,
  typeOf: (field: string) => ValueType,
  valuesOf: (state: NodeState) => Readonly<Record<string, number>>,
  fields: readonly string[],
): NodeField[] {
  const clock = opClock(measurement)
  return fields.map((field) => ({
    measurement,
    field,
    tags: { ...tags, tag: 'system' },
    type: typeOf(field),
    clock,
    value: (_source, state) => valuesOf(state)[field],
  }))
}

function cpuOf(state: NodeState): Record<string, number> {
  const busy = ATTRIBUTE_VALUES.nodeCpuUtilization(state)
  const system = rounded(busy * 0.28)
  const nice = rounded(busy * 0.01)
  const waiting = rounded(0.3 + 0.2 * smoothNoise(mix(state.node.key, IO_WAIT), state.t, IO_WAIT_SECONDS))
  const interrupts = rounded(busy * 0.005)
  return {
    usage_guest: 0,
    usage_guest_nice: 0,
    usage_idle: 100 - busy - waiting - interrupts,
    usage_iowait: waiting,
    usage_irq: 0,
    usage_nice: nice,
    usage_softirq: interrupts,
    usage_steal: 0,
    usage_system: system,
    usage_user: busy - system - nice,
  }
}

function memoryOf(state: NodeState): Record<string, number> {
  const total = state.node.memoryBytes
  const used = ATTRIBUTE_VALUES.nodeMemoryUtilizationBytes(state)
  const cached = Math.floor((total - used) * 0.6)
  const buffered = Math.floor((total - used) * 0.004)
  const free = total - used - cached - buffered
  const available = free + Math.floor(cached * 0.9)
  return {
    available,
    available_percent: (100 * available) / total,
    buffered,
    cached,
    free,
    total,
    used,
    used_percent: (100 * used) / total,
  }
}
