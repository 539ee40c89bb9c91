import { GAUGES } from '../../model/attribute_values.ts'
import type { NodeState } from '../../model/node_state.ts'
import { mix, smoothNoise } from '../../model/random.ts'
import { cpu, rounded } from '../../model/traffic.ts'
import { opClock } from '../points/grid.ts'
import type { NodeField } from '../points/series.ts'

const IO_WAIT = 72
const IO_WAIT_SECONDS = 1_800

type Value = (state: NodeState) => number

const system: Value = (state) => rounded(cpu(state) * 0.28)
const nice: Value = (state) => rounded(cpu(state) * 0.01)
const interrupts: Value = (state) => rounded(cpu(state) * 0.005)
const waiting: Value = ({ node, t }) =>
  rounded(0.3 + 0.2 * smoothNoise(mix(node.key, IO_WAIT), t, IO_WAIT_SECONDS))
const none: Value = () => 0

/** Measurement `cpu` in percent: user, nice and system add up to the value of the dashboard API, all fields to 100. */
export const CPU_FIELDS = fieldsOf(
  'cpu',
  {
    usage_guest: none,
    usage_guest_nice: none,
    usage_idle: (state) => 100 - cpu(state) - waiting(state) - interrupts(state),
    usage_iowait: waiting,
    usage_irq: none,
    usage_nice: nice,
    usage_softirq: interrupts,
    usage_steal: none,
    usage_system: system,
    usage_user: (state) => cpu(state) - system(state) - nice(state),
  },
  { cpu: 'cpu-total' },
)

const total: Value = ({ node }) => node.memoryBytes
const used = GAUGES.nodeMemoryUtilizationBytes
const cached: Value = (state) => Math.floor((total(state) - used(state)) * 0.6)
const buffered: Value = (state) => Math.floor((total(state) - used(state)) * 0.004)
const free: Value = (state) => total(state) - used(state) - cached(state) - buffered(state)
const available: Value = (state) => free(state) + Math.floor(cached(state) * 0.9)

/** Measurement `mem`: used, free, buffered and cached add up to the total. */
export const MEMORY_FIELDS = fieldsOf('mem', {
  available,
  available_percent: (state) => (100 * available(state)) / total(state),
  buffered,
  cached,
  free,
  total,
  used,
  used_percent: (state) => (100 * used(state)) / total(state),
})

/** Percentages are doubles. */
function fieldsOf(
  measurement: string,
  values: Readonly<Record<string, Value>>,
  tags: Readonly<Record<string, string>> = {},
): readonly NodeField[] {
  const clock = opClock(measurement)
  return Object.entries(values).map(([field, read]) => ({
    measurement,
    field,
    tags: { ...tags, tag: 'system' },
    type: measurement === 'cpu' || field.endsWith('_percent') ? 'double' : 'long',
    clock,
    value: (_source, state) => read(state),
  }))
}
