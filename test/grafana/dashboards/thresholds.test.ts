import { describe, expect, test } from 'vitest'
import { COLORS } from '../../../grafana/mixin/colors.ts'
import { DEFAULT_THRESHOLDS } from '../../../grafana/mixin/thresholds.ts'
import { heading, metricsIn, PANELS, property, type Step } from './panels.ts'
import { queriesOf } from './queries.ts'

/** The thresholds of a metric in the settings. */
const ROWS: Readonly<Record<string, keyof typeof DEFAULT_THRESHOLDS>> = {
  sds_node_cpu_utilization_ratio: 'cpuRatio',
  sds_node_memory_utilization_ratio: 'memoryRatio',
  sds_node_nic_received_utilization_ratio: 'nicRatio',
  sds_node_nic_transmitted_utilization_ratio: 'nicRatio',
  sds_node_transaction_read_latency_seconds: 'readLatencySeconds',
  sds_node_transaction_write_latency_seconds: 'writeLatencySeconds',
  sds_node_transaction_errors_ratio: 'errorRatio',
  sds_node_sample_timestamp_seconds: 'sampleAgeSeconds',
  sds_node_capacity_forecast_seconds: 'forecastSeconds',
  sds_pool_last_success_timestamp_seconds: 'pollAgeSeconds',
  sds_system_tls_not_after_timestamp_seconds: 'certificateSeconds',
  nodejs_eventloop_lag_p99_seconds: 'eventLoopLagSeconds',
}

const LEVELS: ReadonlySet<string> = new Set(
  [COLORS.warning, COLORS.critical].flatMap(({ fill, line }) => [fill, line]),
)

describe('thresholds', () => {
  /** The thresholds of a panel or column. */
  const marks = (steps: readonly Step[] = []): number[] =>
    steps.filter(({ color }) => LEVELS.has(color)).flatMap(({ value }) => value ?? [])

  const settings = new Set<number>(
    Object.values(DEFAULT_THRESHOLDS).flatMap(({ warning, critical }) => [warning, critical]),
  )
  /** "More than 0" is no threshold of the settings. */
  const MORE_THAN_NONE = [1]

  test('come from the settings', () => {
    const all = PANELS.flatMap(({ panel }) => [
      ...marks(panel.fieldConfig?.defaults.thresholds?.steps),
      ...(panel.fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
        properties.filter(({ id }) => id === 'thresholds').flatMap(({ value }) => marks(value.steps)),
      ),
    ])
    expect(all.length).toBeGreaterThan(50)
    expect(all.filter((mark) => !settings.has(Math.abs(mark)) && !MORE_THAN_NONE.includes(mark))).toEqual([])
  })

  test('of a metric are those of the settings, on every panel and column', () => {
    const colored = PANELS.flatMap(({ where, panel }) =>
      queriesOf(panel).map(({ expr = '', refId = '', legendFormat = '' }) => {
        const name = heading(panel, refId) || legendFormat
        const own = property(panel, name, 'thresholds') as { steps: Step[] } | undefined
        const found = marks((own ?? panel.fieldConfig?.defaults.thresholds)?.steps)
        return { where: `${where} / ${refId}`, row: ROWS[metricsIn(expr)[0] ?? ''], found }
      }),
    ).filter(({ row, found }) => row !== undefined && found.length > 0)
    expect(new Set(colored.map(({ row }) => row)).size).toBe(new Set(Object.values(ROWS)).size)
    for (const { where, row, found } of colored) {
      const { warning, critical } = DEFAULT_THRESHOLDS[row ?? 'usedRatio']
      if (warning < critical) expect(found, where).toEqual([warning, critical])
      // Where lower is worse, red has no lower bound, and only a graph has a mark at the warning.
      else expect([[critical], [critical, warning]], where).toContainEqual(found)
    }
  })

  test('start at minus infinity and increase', () => {
    for (const { panel, where } of PANELS) {
      const [first, ...more] = panel.fieldConfig?.defaults.thresholds?.steps.map(({ value }) => value) ?? []
      expect(first, where).toBeNull()
      expect(more, where).toEqual(more.toSorted((a, b) => Number(a) - Number(b)))
    }
  })
})
