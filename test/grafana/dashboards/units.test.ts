import { describe, expect, test } from 'vitest'
import { RECORDED } from '../../../grafana/mixin/promql/metrics.ts'
import { FAMILIES } from '../../../src/metrics/families.ts'
import { metricsIn, SHOWN } from './panels.ts'

/** Grafana's units by the base unit of a metric. */
const UNITS_OF: Readonly<Record<string, readonly string[]>> = {
  bytes: ['bytes'],
  bytes_per_second: ['Bps'],
  ratio: ['percentunit'],
  seconds: ['s', 'dtdurations'],
  '': ['none', 'short', 'reqps', 'ops'],
}

const OPERATION_UNITS: Readonly<Record<string, string>> = {
  ratio: 'ratio',
  range: 'ratio',
  rate: '',
  code: '',
}

/** It stands for the systems whose clock skew is not known, multiplied by 0. */
const TIMES_ZERO = 'sds_system_up'

/** Queries whose unit is not that of their metrics, for example quotients. */
const DERIVED: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/ \/ (Used|Space used) \/ A$|\/ Used$| by space used/, 'bytes by bytes'],
  [/fullest minus emptiest node/, 'bytes by bytes'],
  [/% by trend$|time to 90 %/, 'bytes by bytes per second'],
  [
    / latency and earlier days | [Ll]atency of the selected pools | pools by (read|write) latency /,
    'weighted',
  ],
  [/ \/ Latency \/ [AB]$/, 'weighted by transactions'],
  [/ by interface \/ [AB]$/, 'rate of a counter of bytes'],
  [/ pools by bytes per (read|write) /, 'bytes per second by transactions per second'],
  [/ (background disk reads|disk reads for users) /, 'bytes per second by bytes per second'],
  [/ Pools that were recovering /, 'bytes per second compared with a limit: 0 or 1'],
  [/ by hours of recovery /, 'hours in which the comparison was 1'],
  [/ \/ (Failed transactions|System errors|User errors) \/ A$/, 'transactions by transactions'],
  [/ pools by failed transactions /, 'transactions by transactions'],
  [/ \/ (State|Issues)$/, 'codes of states, and scores'],
  [/ \/ Data \/ (Capacity|Resources|Transactions|Errors|Disk traffic|Forecasts)$/, 'share of nodes'],
  [/ \/ Alerts \/ [AB]$/, 'a number of alerts; the recorded series shows that rules are loaded'],
  [/^sds-system \/ (Coded \/ A|Pools \/ Coded)$/, 'bytes by bytes'],
  [/ \/ Lag$| replication groups by lag /, 'a time, of groups with data that waits'],
  [/^sds-namespaces \/ Systems \/ (Namespaces|Near quota)$/, 'numbers of namespaces'],
  [
    /^sds-namespaces \/ Top \$topn (namespaces by .+|buckets by size) \/ (Hard|Soft|Hard count|Objects|Age)$/,
    'of those that are listed, by quota or size',
  ],
  [/ \/ To quota$| buckets by size \/ Used quota$/, 'a ratio, by its growth per second; bytes by bytes'],
  [/^sds-fleet \/ Pools \/ To \d+ %$/, 'a forecast, unless little space is used'],
  [/ % by system$| Time until target \/ Time left$/, 'a forecast, if enough nodes have one'],
  [/ \/ Last listed \/ A$/, 'the timestamp of a sample, not its value'],
]
const isDerived = (where: string): boolean => DERIVED.some(([pattern]) => pattern.test(where))

describe('units', () => {
  const ofMetrics = new Map(
    FAMILIES.flatMap(({ name, unit }) => [name, `${name}_bucket`].map((key) => [key, unit])),
  )
  /** A recorded series has the unit of its metric, except where the operation says otherwise. */
  const ofRecorded = Object.values(RECORDED).flatMap((record): [string, string][] => {
    const [, metric = '', operation = ''] = record.split(':')
    const unit = OPERATION_UNITS[operation] ?? ofMetrics.get(metric)
    return unit === undefined ? [] : [[record, unit]]
  })
  const baseUnit = new Map([...ofMetrics, ...ofRecorded])

  const plain = SHOWN.filter(({ where }) => !isDerived(where))

  test('agree with the unit of the metric', () => {
    const wrong = plain.flatMap(({ where, expr, unit }) =>
      metricsIn(expr)
        .filter((name) => baseUnit.has(name) && name !== TIMES_ZERO)
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
})
