import { describe, expect, test } from 'vitest'
import { FAMILIES } from '../../../src/metrics/families.ts'
import { metricsIn, SHOWN } from './panels.ts'

/** Grafana's units by the base unit of a metric. */
const UNITS_OF: Readonly<Record<string, readonly string[]>> = {
  bytes: ['bytes'],
  bytes_per_second: ['Bps'],
  ratio: ['percentunit'],
  seconds: ['s', 'dtdurations'],
  '': ['none', 'reqps', 'ops'],
}

/** Queries whose unit is not that of their metrics, for example quotients. */
const DERIVED: Readonly<Record<string, string>> = {
  'sds-pool / Nodes healthy / A': 'share of nodes',
  'sds-pool / Space used by node / A': 'bytes by bytes',
  'sds-pool / Nodes / Used': 'bytes by bytes',
  'sds-fleet / Fleet space used / A': 'bytes by bytes',
  'sds-fleet / Pools / Used': 'bytes by bytes',
  'sds-pool / Space used / A': 'bytes by bytes',
  'sds-node / Space used / A': 'bytes by bytes',
  'sds-capacity / Space used / A': 'bytes by bytes',
  'sds-capacity / Space used by pool / A': 'bytes by bytes',
  'sds-capacity / Space used over time / A': 'bytes by bytes',
  'sds-capacity / Fullest minus emptiest node / A': 'bytes by bytes',
  'sds-pool / Latency / A': 'weighted by transactions',
  'sds-pool / Latency / B': 'weighted by transactions',
  'sds-performance / Latency now / A': 'weighted by transactions',
  'sds-performance / Latency now / B': 'weighted by transactions',
  'sds-performance / Read latency: mean, 95th percentile of nodes, worst node / A':
    'weighted by transactions',
  'sds-performance / Write latency: mean, 95th percentile of nodes, worst node / A':
    'weighted by transactions',
  'sds-node / Network traffic by interface / A': 'rate of a counter of bytes',
  'sds-node / Network traffic by interface / B': 'rate of a counter of bytes',
  'sds-performance / Mean bytes per read and per write / A': 'bytes per second by transactions per second',
  'sds-performance / Mean bytes per read and per write / B': 'bytes per second by transactions per second',
  'sds-performance / Background share of disk reads / A': 'bytes per second by bytes per second',
  'sds-disks / Share of disk reads that serves users / A': 'bytes per second by bytes per second',
  'sds-disks / Recovery running / A': 'bytes per second compared with a limit: 0 or 1',
  'sds-disks / Hours of recovery in the last day / A': 'hours in which the comparison was 1',
  'sds-errors / Failed transactions / A': 'transactions by transactions',
  'sds-errors / System errors / A': 'transactions by transactions',
  'sds-errors / User errors / A': 'transactions by transactions',
  'sds-errors / Failure ratio by pool / A': 'transactions by transactions',
  'sds-exporter / Versions / Running for': 'times an info metric, which is 1',
}

describe('units', () => {
  const baseUnit = new Map(
    FAMILIES.flatMap(({ name, unit }) => [name, `${name}_bucket`].map((key) => [key, unit])),
  )

  const plain = SHOWN.filter(({ where }) => !(where in DERIVED) && !where.includes('Served attributes'))

  test('agree with the unit of the metric', () => {
    const wrong = plain.flatMap(({ where, expr, unit }) =>
      metricsIn(expr)
        .filter((name) => baseUnit.has(name))
        .filter((name) => !UNITS_OF[baseUnit.get(name) ?? '']?.includes(unit))
        .map((name) => `${where}: ${name} in ${unit}`),
    )
    expect(wrong).toEqual([])
  })

  test('are the same on all panels of one metric', () => {
    const seen = new Map<string, Map<string, string>>()
    for (const { where, expr, unit } of plain) {
      const names = [...new Set(metricsIn(expr))]
      const [only] = names
      if (names.length !== 1 || only === undefined) continue
      const list = seen.get(only) ?? new Map<string, string>()
      seen.set(only, list.set(unit, where))
    }
    const several = [...seen]
      .filter(([, list]) => list.size > 1)
      .map(([name, list]) => [name, ...list.keys()])
    expect(several).toEqual([])
    expect(seen.size).toBeGreaterThan(40)
  })

  test('are listed as derived only for panels that exist', () => {
    const places = new Set(SHOWN.map(({ where }) => where))
    expect(Object.keys(DERIVED).filter((place) => !places.has(place))).toEqual([])
  })
})
