import { type AlertCase, cases, fires } from './case.ts'
import { POOL } from './subjects.ts'

const SAMPLE = 'sds_node_sample_timestamp_seconds'
const frozenAt = (age: string) => fires(POOL, age)
const categoryAt = (age: string, category: string) => fires({ ...POOL, category }, age)
const nodeAt = (age: string) => fires({ ...POOL, node: 'n1' }, age)
const LAST = 'sds_pool_last_success_timestamp_seconds'

/** Polls every minute. */
const POLLED = { [LAST]: '0+60x60' }

/** Polls every hour. */
const POLLED_HOURLY = { [LAST]: '0x59 3600x59 7200x10' }

/** Cases of the alerts about samples and values. */
export const sampleCases: readonly AlertCase[] = [
  ...cases('SdsFeedFrozen', 'critical', {
    'fires after 15 and 5 minutes without a new sample of any category and ends with the next one': {
      series: {
        ...POLLED,
        [`${SAMPLE}{category="health"}`]: '0x39 2400x10',
        [`${SAMPLE}{category="traffic"}`]: '0x49',
        [`${SAMPLE}{node="n2",category="health"}`]: '0x49',
        sds_system_clock_skew_seconds: '0x49',
      },
      at: { '20m': [], '21m': [frozenAt('21m')], '39m': [frozenAt('39m')], '40m': [] },
    },
    'corrects the ages by the clock skew, in both directions': {
      series: {
        ...POLLED,
        [`${LAST}{pool="pool 2",pool_id="p2"}`]: '0+60x60',
        [`${LAST}{system="paris"}`]: '0+60x60',
        [`${SAMPLE}{category="health"}`]: '-1800+60x60',
        sds_system_clock_skew_seconds: '-1800x60',
        [`${SAMPLE}{pool="pool 2",category="health"}`]: '0+60x60',
        'sds_system_clock_skew_seconds{system="paris"}': '1800x60',
        [`${SAMPLE}{system="paris",category="health"}`]: '1800+60x60',
      },
      at: { '40m': [] },
    },
    'works without a known clock skew, and is silent for one category, one node, and without samples': {
      series: {
        ...POLLED,
        [`${LAST}{system="paris"}`]: '0+60x60',
        [`${SAMPLE}{system="paris",category="health"}`]: '0+60x60',
        [`${SAMPLE}{category="health"}`]: '0+60x60',
        [`${SAMPLE}{category="traffic"}`]: '0x60',
        [`${SAMPLE}{node="n2",category="health"}`]: '0x60',
        'sds_node_info{pool="pool 3"}': '1x60',
      },
      at: { '60m': [] },
    },
    'is silent for rare polls and for failed polls': {
      series: {
        ...POLLED_HOURLY,
        [`${SAMPLE}{category="health"}`]: '-240x59 3360x59 6960x10',
        [`${LAST}{pool="pool 2",pool_id="p2"}`]: '0+60x10 600x119',
        [`${SAMPLE}{pool="pool 2",category="health"}`]: '0+60x10 600x119',
      },
      at: { '58m': [], '119m': [], '130m': [] },
    },
    'fires after the next poll where polls are rare': {
      series: { ...POLLED_HOURLY, [`${SAMPLE}{category="health"}`]: '-240x130' },
      at: { '59m': [], '64m': [], '65m': [frozenAt('1h 4m')], '130m': [frozenAt('2h 4m')] },
    },
    'works where two exporters have different names of a pool': {
      series: {
        [`${LAST}{instance="a"}`]: '0+60x60',
        [`${LAST}{instance="b",pool="new name"}`]: '0+60x60',
        [`${SAMPLE}{category="health"}`]: '0x60',
        [`${SAMPLE}{pool="new name",category="health"}`]: '0+60x60',
      },
      at: { '30m': [frozenAt('30m')] },
    },
  }),
  ...cases('SdsCategoryFrozen', 'warning', {
    'fires after 15 and 10 minutes for the category and ends with the next sample': {
      series: {
        ...POLLED,
        [`${SAMPLE}{category="health"}`]: '0+60x60',
        [`${SAMPLE}{category="traffic"}`]: '0x39 2400x20',
        [`${SAMPLE}{node="n2",category="traffic"}`]: '0x60',
      },
      at: {
        '25m': [],
        '26m': [categoryAt('26m', 'traffic')],
        '39m': [categoryAt('39m', 'traffic')],
        '40m': [],
      },
    },
    'is silent for one node, and for samples every five minutes': {
      series: {
        ...POLLED,
        [`${SAMPLE}{category="traffic"}`]: '0x60',
        [`${SAMPLE}{node="n2",category="traffic"}`]: '0x4 300x4 600x4 900x4 1200x4 1500x4 1800x4 2100x4',
      },
      at: { '30m': [], '39m': [] },
    },
    'is silent for rare polls': {
      series: { ...POLLED_HOURLY, [`${SAMPLE}{category="traffic"}`]: '-240x59 3360x59 6960x10' },
      at: { '58m': [], '119m': [] },
    },
  }),
  ...cases('SdsNodeSamplesOld', 'warning', {
    'fires after 15 and 10 minutes behind the pool and ends 10 minutes after the next sample': {
      series: {
        [`${SAMPLE}{category="health"}`]: '0x39 2400+60x20',
        [`${SAMPLE}{category="traffic"}`]: '0x39 2400+60x20',
        [`${SAMPLE}{node="n2",category="health"}`]: '0+60x60',
      },
      at: { '25m': [], '26m': [nodeAt('26m')], '49m': [nodeAt('39m')], '50m': [] },
    },
    'is silent for a node in maintenance': {
      series: {
        [`${SAMPLE}{category="health"}`]: '0x60',
        [`${SAMPLE}{node="n2",category="health"}`]: '0+60x60',
        'sds_node_health_status{status="Maintenance"}': '1x60',
      },
      at: { '60m': [] },
    },
    'is silent when the whole pool has no new samples, and for one category of the node': {
      series: {
        [`${SAMPLE}{category="health"}`]: '0x60',
        [`${SAMPLE}{node="n2",category="health"}`]: '0x60',
        [`${SAMPLE}{pool="pool 2",category="health"}`]: '0x60',
        [`${SAMPLE}{pool="pool 2",category="traffic"}`]: '0+60x60',
      },
      at: { '60m': [] },
    },
  }),
]
