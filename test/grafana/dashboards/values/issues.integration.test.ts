import { expect, test } from 'vitest'
import { HEALTH_STATES } from '../../../../src/catalogue.ts'
import { at, by, type ExpectedValues, NOTHING, run, unitTest } from './evaluate.ts'
import { constant, type InputSeries, type Labels, NOW, onBoth, seriesIn, targetOf, text } from './series.ts'

/** Pools with issues and pools without data, on the fleet dashboard and on the pages of a pool. */

const polled = (pool: string) => ({ system: 'fra', pool, pool_id: `id-${pool}` })

interface Facts {
  readonly used?: number
  readonly forecastDays?: number
  readonly badDisks?: number
  readonly health?: string
}

const DAY_SECONDS = 86_400

const poolOf = (pool: string, { used = 0.5, forecastDays, badDisks = 0, health = 'Good' }: Facts) => {
  const node = `system="fra",pool="${pool}",node="n1"`
  const forecast = `${node},history_days="7",target_percent="90"`
  return [
    ...onBoth('sds_pool_up', polled(pool), 1),
    ...onBoth('sds_pool_last_success_timestamp_seconds', polled(pool), NOW - 30),
    ...seriesIn(`
sds_node_info{${node},node_id="id-n1",pool_id="",api_change="1"} 1
${HEALTH_STATES.map((status) => `sds_node_health_status{${node},status="${status}"} ${status === health ? 1 : 0}`).join('\n')}
sds_node_disks{${node}} 100
sds_node_disks_by_status{${node},status="Good"} ${100 - badDisks}
sds_node_disks_by_status{${node},status="Bad"} ${badDisks}
sds_node_disks_by_status{${node},status="Maintenance"} 0
sds_node_disks_by_status{${node},status="ReadyToReplace"} 0
sds_node_disk_space_total_bytes{${node}} 100
sds_node_disk_space_allocated_bytes{${node}} ${used * 100}
sds_node_disk_space_free_bytes{${node}} ${100 - used * 100}
sds_node_disk_space_reserved_bytes{${node}} 0
sds_node_sample_timestamp_seconds{${node},category="capacity"} ${NOW - 100}
`),
    ...(forecastDays === undefined
      ? []
      : seriesIn(`sds_node_capacity_forecast_available{${forecast}} 1
sds_node_capacity_forecast_seconds{${forecast}} ${forecastDays * DAY_SECONDS}`)),
  ]
}

const check = async (
  series: readonly InputSeries[],
  expected: Readonly<Record<string, ExpectedValues>>,
  options?: Parameters<typeof run>[1],
) => {
  expect(await run([unitTest('issues', series, {}, expected)], options)).toContain('SUCCESS')
}

const byPool = (values: Readonly<Record<string, number>>) => by('pool', values, { system: 'fra' })
const ISSUES = 'sds-fleet / Pools / A'
/** The score of a pool about which nothing is known now. */
const BLIND = 1_000_000

test('the worst pool has the highest score, whatever its issues are', async () => {
  const alert = (labels: Labels): InputSeries =>
    constant('ALERTS', { alertname: 'SdsX', alertstate: 'firing', system: 'fra', ...labels }, 1)
  await check(
    [
      ...poolOf('full', { used: 0.92 }),
      ...poolOf('disks', { badDisks: 4 }),
      ...poolOf('more-disks', { badDisks: 40, used: 0.85 }),
      ...poolOf('bad', { health: 'Bad' }),
      ...poolOf('calm', {}),
      ...poolOf('alerted', {}),
      alert({ severity: 'critical', pool: 'alerted' }),
      alert({ severity: 'warning', pool: 'alerted', node: 'n1' }),
      alert({ severity: 'critical' }),
    ],
    { [ISSUES]: [byPool({ full: 1000, disks: 1, 'more-disks': 2, bad: 1000, calm: 0, alerted: 1001 })] },
  )
})

test('a short forecast is no issue where little space is used', async () => {
  await check(
    [
      ...poolOf('soon', { used: 0.7, forecastDays: 6 }),
      ...poolOf('later', { used: 0.7, forecastDays: 20 }),
      ...poolOf('empty', { used: 0.5, forecastDays: 6 }),
      ...poolOf('calm', { used: 0.5, forecastDays: 100 }),
    ],
    {
      [ISSUES]: [byPool({ soon: 1000, later: 1, empty: 0, calm: 0 })],
      'sds-fleet / Pools / G': [
        byPool({ soon: 6 * DAY_SECONDS, later: 20 * DAY_SECONDS, calm: 100 * DAY_SECONDS }),
      ],
    },
  )
})

const MINUTES = NOW / 60
const ENDED = 80
/** Series that ended some time ago, as those of an exporter that was stopped. */
const ended = (list: readonly InputSeries[]): InputSeries[] =>
  list.map(({ series, values }) => ({
    series,
    values: values.replace(/x\d+$/, `x${ENDED} stale _x${MINUTES - ENDED - 2}`),
  }))

test('a system whose only exporter is gone keeps its rows, says since when, and is counted as vanished', async () => {
  await check([...ended(poolOf('p', {})), ...ended(onBoth('sds_system_up', { system: 'fra' }, 1))], {
    'sds-fleet / Unreachable': [NOTHING],
    'sds-fleet / Missing (last 24 h)': [1, 1, 1],
    [ISSUES]: [byPool({ p: BLIND })],
    // No data.
    'sds-fleet / Pools / B': [byPool({ p: 6 })],
    // Nodes and space are not known now.
    'sds-fleet / Pools / C': [NOTHING],
    'sds-fleet / Pools / E': [NOTHING],
    'sds-fleet / Pools / K': [byPool({ p: 30 })],
    // Not reported, without a reason.
    'sds-pool / Data / A': [byPool({ p: 3 })],
    'sds-pool / Data / B': [byPool({ p: 30 })],
    'sds-pool / Data / H': [NOTHING],
    'sds-pool / Nodes / A': [at({ 'fra/p/n1': 6 })],
    'sds-pool / Space used': [NOTHING],
    'sds-exporter / Systems / A': [at({ fra: 2 })],
  })
})

test('a pool that cannot be polled says why and since when', async () => {
  const failing = { ...polled('p'), ...targetOf('a:9438') }
  await check(
    [
      ...ended(poolOf('p', {})).filter(({ series }) => series.startsWith('sds_node_')),
      { series: text('sds_pool_up', failing), values: `1x${ENDED} 0x${MINUTES - ENDED - 1}` },
      constant('sds_pool_last_success_timestamp_seconds', failing, ENDED * 60),
      {
        series: text('sds_pool_polls_total', { ...failing, result: 'timeout' }),
        values: `0x${ENDED} 1+1x${MINUTES - ENDED - 1}`,
      },
      constant('sds_pool_polls_total', { ...failing, result: 'ok' }, 100),
      constant('sds_pool_polls_total', { ...failing, result: 'dns' }, 3),
    ],
    {
      [ISSUES]: [byPool({ p: BLIND })],
      // Polls fail.
      'sds-fleet / Pools / B': [byPool({ p: 7 })],
      'sds-fleet / Pools / K': [byPool({ p: NOW - ENDED * 60 })],
      'sds-pool / Data / A': [byPool({ p: 2 })],
      'sds-pool / Data / B': [byPool({ p: NOW - ENDED * 60 })],
    },
  )
})

test('a pool whose last poll failed is first at once, although its last values are still there', async () => {
  const failing = poolOf('failing', { used: 0.85, health: 'NotAccessible' }).map(({ series, values }) =>
    series.startsWith('sds_pool_up') ? { series, values: `1x${MINUTES - 1} 0` } : { series, values },
  )
  await check([...failing, ...poolOf('full', { used: 0.92 })], {
    [ISSUES]: [byPool({ failing: BLIND + 1, full: 1000 })],
    'sds-fleet / Pools / B': [byPool({ failing: 7, full: 0 })],
  })
})

test('without rules there is no number of alerts, with rules and no alert it is 0', async () => {
  await check(poolOf('p', {}), { 'sds-fleet / Alerts': [NOTHING, NOTHING] }, { rules: false })
  await check(poolOf('p', {}), { 'sds-fleet / Alerts': [0, 0] })
})

test('firing alerts are listed with the code of their severity and all labels', async () => {
  const alert = (labels: Labels): InputSeries =>
    constant('ALERTS', { alertname: 'SdsX', alertstate: 'firing', component: 'disks', ...labels }, 1)
  await check(
    [
      alert({ severity: 'info', system: 'fra', pool: 'p', node: 'n1' }),
      alert({ severity: 'critical', system: 'fra', pool: 'p', category: 'traffic' }),
      alert({ severity: 'warning', system: 'fra', reason: 'syntax' }),
      alert({ severity: 'warning', instance: 'a:9438' }),
    ],
    {
      'sds-fleet / Alerts firing now': [
        [
          [{ alertname: 'SdsX', system: 'fra', pool: 'p', node: 'n1' }, 1],
          [{ alertname: 'SdsX', system: 'fra', pool: 'p', detail: 'traffic' }, 3],
          [{ alertname: 'SdsX', system: 'fra', detail: 'syntax' }, 2],
          [{ alertname: 'SdsX', detail: 'a:9438' }, 2],
        ],
      ],
    },
  )
})
