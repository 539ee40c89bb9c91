import { type AlertCase, cases, fires } from './case.ts'
import { READ, READS, WRITE, WRITES } from './nodes/latency.ts'
import { POOL } from './subjects.ts'

/** Cases of alerts that compare a pool with its own past. Series have one value for each five minutes. */

const HOUR = 12
const increased = (latency: string) => fires(POOL, latency)

/** `usual` for some hours, `other` for two hours, then `usual` again. Half a day of history is needed. */
const otherFor2Hours = (usual: number, other: number, before = 14): string =>
  `${usual}x${before * HOUR - 1} ${other}x${2 * HOUR - 1} ${usual}x${HOUR}`

const ALL = 17 * HOUR
const BUCKET = 'sds_node_transaction_latency_seconds_bucket'
/** A node with data and its requests: of up to 0.1 s, and from the 14th hour on of 0.1 to 0.9 s. */
const slowHistogram = {
  sds_node_disk_space_total_bytes: `1x${ALL}`,
  [`${BUCKET}{operation="read",le="0.1"}`]: `0+100x${14 * HOUR} ${1400 * HOUR}x${3 * HOUR}`,
  [`${BUCKET}{operation="read",le="0.9"}`]: `0+100x${ALL}`,
  [`${BUCKET}{operation="read",le="+Inf"}`]: `0+100x${ALL}`,
}

const collapsed = fires(POOL, '2', '5%')

/** Traffic for 14 hours a day. */
const BY_DAY = Array.from({ length: 2 }, () => `60x${14 * HOUR - 1} 0x${10 * HOUR - 1}`).join(' ')

/** Traffic for eight days, without two hours at the end, and in one of two pools also a week before. */
const collapsedAWeekLater = (usual: number): string => `${usual}x${178 * HOUR - 1} 1x${2 * HOUR}`
const quietEachWeek = (usual: number): string =>
  `${usual}x${10 * HOUR - 1} 1x${2 * HOUR - 1} ${usual}x${166 * HOUR - 1} 1x${2 * HOUR}`

export const baselineCases: readonly AlertCase[] = [
  ...(
    [
      ['Read', READ, READS],
      ['Write', WRITE, WRITES],
    ] as const
  ).flatMap(([direction, latency, rate]): AlertCase[] => [
    ...cases(`Sds${direction}LatencyIncreased`, 'warning', {
      'fires after 30 minutes and ends 15 minutes after the recovery': {
        step: 5,
        series: { [latency]: otherFor2Hours(0.02, 0.08), [rate]: `100x${ALL}` },
        at: { '865m': [], '870m': [increased('80ms')], '970m': [increased('80ms')], '975m': [] },
      },
      'is silent below its floor, for pools that are always slow or have few transactions, and for new pools':
        {
          step: 5,
          series: {
            [`${latency}{pool="fast"}`]: otherFor2Hours(0.005, 0.045),
            [`${rate}{pool="fast"}`]: `100x${ALL}`,
            [`${latency}{pool="slow"}`]: otherFor2Hours(0.2, 0.55),
            [`${rate}{pool="slow"}`]: `100x${ALL}`,
            [`${latency}{pool="quiet"}`]: otherFor2Hours(0.02, 0.5),
            [`${rate}{pool="quiet"}`]: `0.9x${ALL}`,
            [`${latency}{pool="new"}`]: `_x${6 * HOUR} 0.02x${8 * HOUR - 2} 0.5x${2 * HOUR}`,
            [`${rate}{pool="new"}`]: `_x${6 * HOUR} 100x${10 * HOUR}`,
          },
          at: { '870m': [], '950m': [] },
        },
    }),
  ]),
  ...cases('SdsReadLatencyIncreased', 'warning', {
    'compares quantiles where there is no mean': {
      step: 5,
      series: { ...slowHistogram, [READS]: `100x${ALL}` },
      at: { '840m': [], '940m': [increased('700ms')] },
    },
  }),
  ...cases('SdsTrafficCollapsed', 'warning', {
    'fires after 15 minutes, over reads and writes, and ends 15 minutes after the recovery': {
      step: 5,
      series: {
        [READS]: otherFor2Hours(60, 1, 30),
        [WRITES]: otherFor2Hours(40, 1, 30),
        [`${READS}{node="n2"}`]: otherFor2Hours(50, 0, 30),
        [`${WRITES}{node="n2"}`]: otherFor2Hours(50, 0, 30),
      },
      at: { '1810m': [], '1815m': [collapsed], '1930m': [collapsed], '1935m': [] },
    },
    'is silent for less traffic, for pools with little traffic, and for new pools': {
      step: 5,
      series: {
        [`${READS}{pool="less"}`]: otherFor2Hours(60, 6),
        [`${WRITES}{pool="less"}`]: otherFor2Hours(40, 4),
        [`${READS}{pool="little"}`]: otherFor2Hours(5, 0),
        [`${WRITES}{pool="little"}`]: otherFor2Hours(4, 0),
        [`${READS}{pool="new"}`]: `_x${6 * HOUR} 60x${8 * HOUR - 2} 0x${2 * HOUR}`,
        [`${WRITES}{pool="new"}`]: `_x${6 * HOUR} 40x${8 * HOUR - 2} 0x${2 * HOUR}`,
      },
      at: { '855m': [], '950m': [] },
    },
    'is silent when the traffic ended at the same time the day before': {
      step: 5,
      series: { [READS]: BY_DAY, [WRITES]: BY_DAY }, // The second evening; the first one has no day before it.
      at: { '2295m': [], '2400m': [], '2760m': [] },
    },
    'is silent for the pool whose traffic ended at the same time a week ago, but not the day before': {
      step: 5,
      series: {
        [READS]: collapsedAWeekLater(60),
        [WRITES]: collapsedAWeekLater(40),
        [`${READS}{pool="weekly"}`]: quietEachWeek(60),
        [`${WRITES}{pool="weekly"}`]: quietEachWeek(40),
      },
      at: { '10690m': [], '10695m': [collapsed], '10790m': [collapsed] },
    },
  }),
]
