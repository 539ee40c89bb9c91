import { type AlertCase, fired } from './case.ts'

const SYSTEM = { system: 'frankfurt' }
const POLL = { ...SYSTEM, pool_id: 'p1' }
const POOL = { ...SYSTEM, pool: 'pool 1' }
const SYSTEM_PAGE = '/d/sds-exporter?var-system=frankfurt'

const SAMPLE = 'sds_node_sample_timestamp_seconds'
const POOL_PAGE = '/d/sds-pool?var-system=frankfurt&var-pool=pool+1'
const frozenAt = (age: string) =>
  fired('SdsFeedFrozen', 'critical', 'exporter', POOL, {
    summary: 'A storage system responds with old samples.',
    description: `Pool pool 1 of system frankfurt: the newest sample was ${age} old at the last successful poll. The statistics of the system have stopped, so its health status may be old, too.`,
    dashboard: POOL_PAGE,
  })
const categoryAt = (age: string, category: string) =>
  fired(
    'SdsCategoryFrozen',
    'warning',
    'exporter',
    { ...POOL, category },
    {
      summary: 'A category of samples of a storage pool is not updated.',
      description: `Pool pool 1 of system frankfurt: the newest sample of the category ${category} was ${age} old at the last successful poll.`,
      dashboard: POOL_PAGE,
    },
  )
const nodeAt = (age: string) =>
  fired(
    'SdsNodeSamplesOld',
    'warning',
    'exporter',
    { ...POOL, node: 'n1' },
    {
      summary: 'A storage node reports no new samples.',
      description: `Node n1 in pool pool 1 of system frankfurt: its newest sample is ${age} older than that of its pool.`,
      dashboard: '/d/sds-node?var-system=frankfurt&var-pool=pool+1&var-node=n1',
    },
  )

const LAST = 'sds_pool_last_success_timestamp_seconds'
/** Polls every minute. */
const POLLED = { sds_pool_info: '1x60', [LAST]: '0+60x60' }
const polledToo = (labels: string, pool: string) => ({
  [`sds_pool_info{${labels},pool="${pool}"}`]: '1x60',
  [`${LAST}{${labels}}`]: '0+60x60',
})
/** Polls every hour. */
const POLLED_HOURLY = { sds_pool_info: '1x130', [LAST]: '0x59 3600x59 7200x10' }

const frozen: readonly AlertCase[] = [
  {
    alert: 'SdsFeedFrozen',
    name: 'fires 5 minutes after 15 without a new sample of any category, and ends with it',
    series: {
      ...POLLED,
      [`${SAMPLE}{category="health"}`]: '0x39 2400x10',
      [`${SAMPLE}{category="traffic"}`]: '0x49',
      [`${SAMPLE}{node="n2",category="health"}`]: '0x49',
      sds_system_clock_skew_seconds: '0x49',
    },
    at: { '20m': [], '21m': [frozenAt('21m 0s')], '39m': [frozenAt('39m 0s')], '40m': [] },
  },
  {
    alert: 'SdsFeedFrozen',
    name: 'does not take a wrong clock for old samples, nor a wrong clock for new ones',
    series: {
      ...POLLED,
      ...polledToo('pool_id="p2"', 'pool 2'),
      ...polledToo('system="paris"', 'pool 1'),
      [`${SAMPLE}{category="health"}`]: '-1800+60x60',
      sds_system_clock_skew_seconds: '-1800x60',
      [`${SAMPLE}{pool="pool 2",category="health"}`]: '0+60x60',
      'sds_system_clock_skew_seconds{system="paris"}': '1800x60',
      [`${SAMPLE}{system="paris",category="health"}`]: '1800+60x60',
    },
    at: { '40m': [] },
  },
  {
    alert: 'SdsFeedFrozen',
    name: 'counts without a known clock, and is silent for one category, one node, and without samples',
    series: {
      ...POLLED,
      ...polledToo('system="paris"', 'pool 1'),
      [`${SAMPLE}{system="paris",category="health"}`]: '0+60x60',
      [`${SAMPLE}{category="health"}`]: '0+60x60',
      [`${SAMPLE}{category="traffic"}`]: '0x60',
      [`${SAMPLE}{node="n2",category="health"}`]: '0x60',
      'sds_node_info{pool="pool 3"}': '1x60',
    },
    at: { '60m': [] },
  },
  {
    alert: 'SdsFeedFrozen',
    name: 'takes rare polls for what they are, and no failed ones for old samples',
    series: {
      ...POLLED_HOURLY,
      [`${SAMPLE}{category="health"}`]: '-240x59 3360x59 6960x10',
      'sds_pool_info{pool="pool 2",pool_id="p2"}': '1x130',
      [`${LAST}{pool_id="p2"}`]: '0+60x10 600x119',
      [`${SAMPLE}{pool="pool 2",category="health"}`]: '0+60x10 600x119',
    },
    at: { '58m': [], '119m': [], '130m': [] },
  },
  {
    alert: 'SdsFeedFrozen',
    name: 'is seen with the next poll, however rare polls are',
    series: { ...POLLED_HOURLY, [`${SAMPLE}{category="health"}`]: '-240x130' },
    at: { '59m': [], '64m': [], '65m': [frozenAt('1h 4m 0s')], '130m': [frozenAt('2h 4m 0s')] },
  },
  {
    alert: 'SdsFeedFrozen',
    name: 'names the pools that two exporters name differently',
    series: {
      'sds_pool_info{instance="a"}': '1x60',
      'sds_pool_info{instance="b",pool="new name"}': '1x60',
      [LAST]: '0+60x60',
      [`${SAMPLE}{category="health"}`]: '0x60',
      [`${SAMPLE}{pool="new name",category="health"}`]: '0+60x60',
    },
    at: { '30m': [frozenAt('30m 0s')] },
  },
  {
    alert: 'SdsCategoryFrozen',
    name: 'names the category, after 10 minutes above 15, and ends with the next sample',
    series: {
      ...POLLED,
      [`${SAMPLE}{category="health"}`]: '0+60x60',
      [`${SAMPLE}{category="traffic"}`]: '0x39 2400x20',
      [`${SAMPLE}{node="n2",category="traffic"}`]: '0x60',
    },
    at: {
      '25m': [],
      '26m': [categoryAt('26m 0s', 'traffic')],
      '39m': [categoryAt('39m 0s', 'traffic')],
      '40m': [],
    },
  },
  {
    alert: 'SdsCategoryFrozen',
    name: 'is silent for one node, and for samples every five minutes',
    series: {
      ...POLLED,
      [`${SAMPLE}{category="traffic"}`]: '0x60',
      [`${SAMPLE}{node="n2",category="traffic"}`]: '0x4 300x4 600x4 900x4 1200x4 1500x4 1800x4 2100x4',
    },
    at: { '30m': [], '39m': [] },
  },
  {
    alert: 'SdsCategoryFrozen',
    name: 'is silent for rare polls',
    series: { ...POLLED_HOURLY, [`${SAMPLE}{category="traffic"}`]: '-240x59 3360x59 6960x10' },
    at: { '58m': [], '119m': [] },
  },
  {
    alert: 'SdsNodeSamplesOld',
    name: 'names the node, after 10 minutes above 15 behind its pool, and ends 10 minutes after its next sample',
    series: {
      [`${SAMPLE}{category="health"}`]: '0x39 2400+60x20',
      [`${SAMPLE}{category="traffic"}`]: '0x39 2400+60x20',
      [`${SAMPLE}{node="n2",category="health"}`]: '0+60x60',
    },
    at: { '25m': [], '26m': [nodeAt('26m 0s')], '49m': [nodeAt('39m 0s')], '50m': [] },
  },
  {
    alert: 'SdsNodeSamplesOld',
    name: 'is silent when the whole pool stands still, and for one category of the node',
    series: {
      [`${SAMPLE}{category="health"}`]: '0x60',
      [`${SAMPLE}{node="n2",category="health"}`]: '0x60',
      [`${SAMPLE}{pool="pool 2",category="health"}`]: '0x60',
      [`${SAMPLE}{pool="pool 2",category="traffic"}`]: '0+60x60',
    },
    at: { '60m': [] },
  },
]

const skew = fired('SdsClockSkew', 'warning', 'exporter', SYSTEM, {
  summary: 'The clocks of a storage system and of the exporter differ.',
  description:
    'System frankfurt and an exporter have clocks that differ by 45s. Ages of samples are corrected, timestamps of samples are not.',
  dashboard: SYSTEM_PAGE,
})
const REJECTED = 'sds_api_rejected_values_total{attribute="diskSpaceFree",reason="negative"}'
const rejected = fired(
  'SdsValuesRejected',
  'warning',
  'exporter',
  { ...SYSTEM, attribute: 'diskSpaceFree', reason: 'negative' },
  {
    summary: 'Values of the feed are not exported, because they are invalid.',
    description:
      'System frankfurt serves values of diskSpaceFree that were rejected (negative). They are missing from every panel and alert.',
    dashboard: SYSTEM_PAGE,
  },
)
const served = (attribute: string, pool = 'p1'): string =>
  `sds_pool_attribute_nodes{pool_id="${pool}",attribute="${attribute}",state="served"}`
const disappeared = fired('SdsAttributesDisappeared', 'info', 'exporter', POLL, {
  summary: 'A storage pool no longer serves attributes that it served before.',
  description:
    'Pool pool 1 of system frankfurt stopped serving 2 attributes within a day. Panels and alerts that need them have no data.',
  dashboard: SYSTEM_PAGE,
})

const values: readonly AlertCase[] = [
  {
    alert: 'SdsClockSkew',
    name: 'fires after 15 minutes in either direction and ends 15 minutes after the correction',
    series: { sds_system_clock_skew_seconds: '-45x19 0x40' },
    at: { '14m': [], '15m': [skew], '34m': [skew], '35m': [] },
  },
  {
    alert: 'SdsClockSkew',
    name: 'bears some seconds, and a system that tells no time',
    series: { sds_system_clock_skew_seconds: '20x30', 'sds_system_up{system="paris"}': '1x30' },
    at: { '30m': [] },
  },
  {
    alert: 'SdsValuesRejected',
    name: 'fires after 15 minutes and ends 30 minutes after the last rejection',
    series: { [REJECTED]: '_x5 1+1x14 15x60' },
    at: { '19m': [], '20m': [rejected], '48m': [rejected], '50m': [] },
  },
  {
    alert: 'SdsValuesRejected',
    name: 'is silent for rejections of the past',
    series: { [REJECTED]: '7x60' },
    at: { '45m': [], '60m': [] },
  },
  {
    alert: 'SdsValuesRejected',
    name: 'is silent when nothing was rejected while nobody looked',
    series: { [REJECTED]: '7x10 _x39 7x60' },
    at: { '66m': [], '80m': [] },
  },
  {
    alert: 'SdsValuesRejected',
    name: 'sees what was rejected while nobody looked, and the first rejection after a restart',
    series: { [REJECTED]: '7x10 _x39 1x60' },
    at: { '64m': [], '66m': [rejected], '79m': [rejected], '82m': [] },
  },
  {
    alert: 'SdsAttributesDisappeared',
    name: 'fires after two hours, whatever single poll fails, and ends when the attributes are back',
    series: {
      [served('nodeCpuUtilization')]: '3x9 0x139 3x10',
      [served('nodeMemoryUtilization')]: '3x9 stale _x138 3x10',
      [served('diskSpaceFree')]: '3x160',
      sds_pool_up: '1x60 0x2 1x97',
      sds_pool_nodes: '3x160',
      sds_pool_info: '1x160',
    },
    at: { '129m': [], '130m': [disappeared], '148m': [disappeared], '150m': [] },
  },
  {
    alert: 'SdsAttributesDisappeared',
    name: 'is silent for what was never served, in an empty pool, and while polls fail',
    series: {
      [served('nodeCpuUtilization')]: '0x160',
      [served('healthStatus')]: '3x9 2x150',
      sds_pool_up: '1x160',
      sds_pool_nodes: '3x160',
      [served('healthStatus', 'p2')]: '3x9 0x150',
      'sds_pool_up{pool_id="p2"}': '1x160',
      'sds_pool_nodes{pool_id="p2"}': '3x9 0x150',
      [served('healthStatus', 'p3')]: '3x9 stale',
      'sds_pool_up{pool_id="p3"}': '1x9 0x150',
      'sds_pool_nodes{pool_id="p3"}': '3x160',
    },
    at: { '140m': [], '160m': [] },
  },
]

/** Cases of the alerts on what the answers are worth. */
export const sampleCases: readonly AlertCase[] = [...frozen, ...values]
