import { NETWORK_FIELDS } from '../../../query_catalogue.ts'
import { largest } from '../../../values/largest.ts'
import { wholeName } from '../../../values/names.ts'
import type { FieldSeries } from '../answers/answer.ts'
import {
  atCommonTime,
  type Increase,
  increaseOf,
  newestPoint,
  newestTime,
  sumOfIncreases,
} from '../answers/rates.ts'

/** Which network interfaces are counted. The expressions match whole names; empty: not set. */
export interface InterfaceFilter {
  /** Instead of the rule for names. */
  readonly include: string
  readonly exclude: string
}

/** Decides for the interfaces of one node. */
export type InterfaceRule = ReturnType<typeof createInterfaceRule>

const VIRTUAL = /^(lo|docker.*|veth.*)$/
const BOND = /^(bond|team)\d+$/
/** Physical interfaces, as Linux names them: with a bond, they are its slaves. */
const PHYSICAL = /^(eth\d+|en[opsx].+|em\d+|p\d+p\d+)$/
/** Slaves by their names, whatever the name of their bond is, such as `public`. */
const SLAVE = /^p?slave/

/**
 * By default, interfaces of containers and the loopback are left out; a VLAN `X.Y` is not added to its parent `X`,
 * which counts its traffic too, and neither are the slaves of a bond. No query tells which interfaces a bond has, so
 * names decide.
 */
export function createInterfaceRule({ include, exclude }: InterfaceFilter) {
  const included = wholeName(include)
  const excluded = wholeName(exclude)
  const isExcluded = (name: string) => excluded?.test(name) ?? false

  return {
    /** Interfaces whose own traffic is exported. */
    exported: (names: readonly string[]): readonly string[] =>
      names.filter((name) => !isExcluded(name) && (included?.test(name) || !VIRTUAL.test(name))),
    /** Interfaces that are added up for the node: no traffic is counted twice. */
    summed(names: readonly string[]): readonly string[] {
      const candidates = names.filter((name) => !isExcluded(name))
      if (included !== undefined) return candidates.filter((name) => included.test(name))
      const present = new Set(candidates)
      const hasBond = candidates.some((name) => BOND.test(name))
      const hasOthers = candidates.some(
        (name) => !VIRTUAL.test(name) && !SLAVE.test(name) && !name.includes('.'),
      )
      return candidates.filter(
        (name) =>
          !VIRTUAL.test(name) &&
          !isVlanOf(name, present) &&
          !(hasBond && PHYSICAL.test(name)) &&
          !(hasOthers && SLAVE.test(name)),
      )
    },
  }
}

function isVlanOf(name: string, names: ReadonlySet<string>): boolean {
  const dot = name.lastIndexOf('.')
  return dot > 0 && names.has(name.slice(0, dot))
}

/** The traffic of one interface of a node, between its last two points. */
export interface InterfaceTraffic {
  readonly name: string
  /** Time of the newest point. */
  readonly t: number
  readonly receivedBytesPerSecond: number | undefined
  readonly transmittedBytesPerSecond: number | undefined
}

/** Growth per second of the summed interfaces of one node. */
export interface NetworkTraffic extends Omit<InterfaceTraffic, 'name'> {
  /** Sum over the interfaces that have traffic; undefined if one of them has no speed. */
  readonly capacityBytesPerSecond: number | undefined
  /** The largest of the field `utilization`, percent; served by systems without speeds. */
  readonly utilizationPercent: number | undefined
}

type InterfaceSeries = ReadonlyMap<string, FieldSeries>
const COUNTERS = [NETWORK_FIELDS.received, NETWORK_FIELDS.transmitted] as const

export function seriesByInterface(series: readonly FieldSeries[]): ReadonlyMap<string, InterfaceSeries> {
  const byName = new Map<string, Map<string, FieldSeries>>()
  for (const one of series) {
    const name = one.tags.get('interface')
    if (name === undefined) continue
    const fields = byName.get(name) ?? new Map<string, FieldSeries>()
    // The newer of two series is current, such as those before and after a change of another tag.
    const other = fields.get(one.field)
    if ((newestTime(one) ?? 0) > (other === undefined ? -1 : (newestTime(other) ?? 0)))
      fields.set(one.field, one)
    byName.set(name, fields)
  }
  return byName
}

/** Maximum number of interfaces of a node whose traffic is exported: each is a label value. */
const MAX_INTERFACES = 32

export function interfaceTraffic(
  interfaces: ReadonlyMap<string, InterfaceSeries>,
  rule: InterfaceRule,
): InterfaceTraffic[] {
  return rule
    .exported([...interfaces.keys()].toSorted())
    .slice(0, MAX_INTERFACES)
    .flatMap((name): InterfaceTraffic[] => {
      const [received, transmitted] = COUNTERS.map((field) => increaseIn(interfaces.get(name), field))
      const t = Math.max(received?.t ?? 0, transmitted?.t ?? 0)
      const rateAt = (one: Increase | undefined) => (one?.t === t ? one.perSecond : undefined)
      const rates = {
        receivedBytesPerSecond: rateAt(received),
        transmittedBytesPerSecond: rateAt(transmitted),
      }
      return t === 0 ? [] : [{ name, t, ...rates }]
    })
}

function increaseIn(fields: InterfaceSeries | undefined, field: string): Increase | undefined {
  const series = fields?.get(field)
  return series && increaseOf(series)
}

/** Undefined if no interface is summed or a point of time is missing. */
export function networkTraffic(
  interfaces: ReadonlyMap<string, InterfaceSeries>,
  rule: InterfaceRule,
): NetworkTraffic | undefined {
  const summed = rule.summed([...interfaces.keys()]).flatMap((name) => interfaces.get(name) ?? [])
  const counters = atCommonTime(
    summed.flatMap((fields) => COUNTERS.flatMap((field) => fields.get(field) ?? [])),
  )
  const t = largest(counters.map((one) => newestPoint(one)?.t))
  if (t === undefined) return undefined
  const rateOf = (field: string) => {
    const sum = sumOfIncreases(counters.filter((one) => one.field === field))
    return sum?.t === t ? sum.perSecond : undefined
  }
  return {
    t,
    receivedBytesPerSecond: rateOf(NETWORK_FIELDS.received),
    transmittedBytesPerSecond: rateOf(NETWORK_FIELDS.transmitted),
    capacityBytesPerSecond: sumIfAllKnown(summed.map(capacityOf)),
    utilizationPercent: utilizationOf(summed),
  }
}

/** The largest; undefined if one of them could not be read. */
function utilizationOf(interfaces: readonly InterfaceSeries[]): number | undefined {
  const served = interfaces.flatMap((fields) => fields.get(NETWORK_FIELDS.utilization) ?? [])
  const values = served.map((one) => newestPoint(one)?.value)
  return values.includes(undefined) ? undefined : largest(values)
}

const BYTES_PER_MBIT = 125_000

/** 0 for an interface without speed and traffic, which is down. */
function capacityOf(fields: InterfaceSeries): number | undefined {
  const series = fields.get(NETWORK_FIELDS.speed)
  const speed = (series && newestPoint(series)?.value) ?? 0
  if (speed === 0 && series?.isLacking) return undefined
  if (speed > 0) return speed * BYTES_PER_MBIT
  return COUNTERS.every((field) => increaseIn(fields, field)?.perSecond === 0) ? 0 : undefined
}

/** Undefined if one of them is. */
export function sumIfAllKnown(numbers: readonly (number | undefined)[]): number | undefined {
  return numbers.reduce(
    (sum, number) => (sum === undefined || number === undefined ? undefined : sum + number),
    0,
  )
}
