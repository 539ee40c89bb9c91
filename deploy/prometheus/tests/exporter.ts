import { type AlertCase, fired } from './case.ts'

const SYSTEM = { system: 'frankfurt' }
const POLL = { ...SYSTEM, pool_id: 'p1' }
const POOL = { ...SYSTEM, pool: 'pool 1' }
const PAGE = '/d/sds-exporter'
const SYSTEM_PAGE = '/d/sds-exporter?var-system=frankfurt'
const INSTANCE = { instance: 'exporter-1:9438' }
const INSTANCE_PAGE = '/d/sds-exporter?var-instance=exporter-1%3A9438'
const up = (instance: string, job = 'sds-exporter'): string => `up{job="${job}",instance="${instance}:9438"}`

const absent = fired(
  'SdsExporterAbsent',
  'critical',
  'exporter',
  {},
  {
    summary: 'No exporter is running.',
    description:
      'Prometheus reaches no exporter of the job sds-exporter: no storage system is watched, and no other storage alert can fire.',
    dashboard: PAGE,
  },
)
const down = fired(
  'SdsExporterDown',
  'warning',
  'exporter',
  { ...INSTANCE, job: 'sds-exporter' },
  {
    summary: 'An exporter cannot be scraped.',
    description:
      'Exporter exporter-1:9438 does not answer Prometheus. Where a second one watches the same systems, nothing is lost yet.',
    dashboard: INSTANCE_PAGE,
  },
)
const RELOAD = 'sds_exporter_config_last_reload_successful'
const START = 'process_start_time_seconds'
const restarting = fired('SdsExporterRestarting', 'warning', 'exporter', INSTANCE, {
  summary: 'An exporter keeps restarting.',
  description: 'Exporter exporter-1:9438 started 3 times within an hour.',
  dashboard: INSTANCE_PAGE,
})
const reload = fired('SdsConfigReloadFailed', 'warning', 'exporter', INSTANCE, {
  summary: 'An exporter refused its configuration file.',
  description:
    'Exporter exporter-1:9438 runs on with its old configuration, because the file has an error. The next restart would fail.',
  dashboard: INSTANCE_PAGE,
})
const ofExporter = (metric: string, instance = 'exporter-1'): string =>
  `${metric}{job="sds-exporter",instance="${instance}:9438"}`

const processes: readonly AlertCase[] = [
  {
    alert: 'SdsExporterAbsent',
    name: 'fires 10 minutes after the last exporter and ends with the first',
    series: { [up('exporter-1')]: '1x9 0x19 1x10', [up('exporter-2')]: '0x40' },
    at: { '19m': [], '20m': [absent], '29m': [absent], '30m': [] },
  },
  {
    alert: 'SdsExporterAbsent',
    name: 'fires when nobody is scraped at all',
    series: { [up('other', 'node')]: '1x20' },
    at: { '9m': [], '10m': [absent] },
  },
  {
    alert: 'SdsExporterAbsent',
    name: 'is silent while one of two runs',
    series: { [up('exporter-1')]: '0x20', [up('exporter-2')]: '1x20' },
    at: { '20m': [] },
  },
  {
    alert: 'SdsExporterDown',
    name: 'names the one of two that is down, after 5 minutes',
    series: { [up('exporter-1')]: '0x9 1x10', [up('exporter-2')]: '1x20' },
    at: { '4m': [], '5m': [down], '9m': [down], '10m': [] },
  },
  {
    alert: 'SdsExporterDown',
    name: 'ignores a restart, and targets of other jobs',
    series: { [up('exporter-1')]: '0x3 1x20', [up('other', 'node')]: '0x20' },
    at: { '4m': [], '5m': [], '20m': [] },
  },
  {
    alert: 'SdsExporterRestarting',
    name: 'fires at the third start within an hour and ends 15 minutes after they are too few',
    series: { [ofExporter(START)]: '100x9 700x9 1300x9 1900x120' },
    at: { '29m': [], '30m': [restarting], '84m': [restarting], '85m': [] },
  },
  {
    alert: 'SdsExporterRestarting',
    name: 'ignores an upgrade of both exporters',
    series: { [ofExporter(START)]: '100x9 700x60', [ofExporter(START, 'exporter-2')]: '100x9 760x60' },
    at: { '60m': [] },
  },
  {
    alert: 'SdsConfigReloadFailed',
    name: 'fires 10 minutes after 5 minutes without a good file and ends with it',
    series: { [ofExporter(RELOAD)]: '1x9 0x29 1x10', [ofExporter(RELOAD, 'exporter-2')]: '1x60' },
    at: { '24m': [], '25m': [reload], '39m': [reload], '40m': [] },
  },
  {
    alert: 'SdsConfigReloadFailed',
    name: 'is silent when the file was mended at once',
    series: { [ofExporter(RELOAD)]: '1x9 0x9 1x40' },
    at: { '25m': [], '40m': [] },
  },
]

const unreachable = fired('SdsSystemUnreachable', 'critical', 'exporter', SYSTEM, {
  summary: 'The API of a storage system does not answer.',
  description:
    'System frankfurt answers no exporter. Whether it still serves its users is not known: nothing of it is watched.',
  dashboard: SYSTEM_PAGE,
})
const FAILING = 'cannot be polled by any exporter, although its system may answer. Its nodes are not watched.'
const failing = (name: string) =>
  fired('SdsPoolPollsFailing', 'critical', 'exporter', POLL, {
    summary: 'A storage pool cannot be polled.',
    description: `Pool ${name} of system frankfurt ${FAILING}`,
    dashboard: SYSTEM_PAGE,
  })
const poolsUnknown = fired('SdsPoolsUnknown', 'critical', 'exporter', SYSTEM, {
  summary: 'A storage system answers, but its pools are not known.',
  description:
    'System frankfurt answers, but no exporter could read the list of its pools: nothing of it is watched.',
  dashboard: SYSTEM_PAGE,
})
const errorsHigh = fired('SdsPollErrorsHigh', 'warning', 'exporter', POLL, {
  summary: 'Many polls of a storage pool fail.',
  description: 'Pool pool 1 of system frankfurt: 15% of the polls of one exporter failed within 15 minutes.',
  dashboard: SYSTEM_PAGE,
})
const overdue = fired('SdsPollsOverdue', 'warning', 'exporter', POLL, {
  summary: 'A storage pool is not polled on schedule.',
  description:
    'Pool pool 1 of system frankfurt was polled last 16m 0s ago, without a failure: the exporter does not keep its schedule.',
  dashboard: SYSTEM_PAGE,
})
const LAST = 'sds_pool_last_success_timestamp_seconds'

const polls: readonly AlertCase[] = [
  {
    alert: 'SdsSystemUnreachable',
    name: 'fires after 10 minutes and ends 5 minutes after the first answer',
    series: { sds_system_up: '1x4 0x14 1x40' },
    at: { '14m': [], '15m': [unreachable], '24m': [unreachable], '25m': [] },
  },
  {
    alert: 'SdsSystemUnreachable',
    name: 'is silent while one exporter gets answers, and for answers that are refusals',
    series: {
      'sds_system_up{instance="a"}': '0x20',
      'sds_system_up{instance="b"}': '1x20',
      'sds_system_up{system="paris"}': '1x20',
      'sds_pool_up{system="paris"}': '0x20',
    },
    at: { '20m': [] },
  },
  {
    alert: 'SdsPoolPollsFailing',
    name: 'fires after 10 minutes and ends 5 minutes after the first good poll',
    series: { sds_pool_up: '0x14 1x40', sds_pool_info: '1x60', 'sds_pool_up{pool_id="p2"}': '1x60' },
    at: { '9m': [], '10m': [failing('pool 1')], '19m': [failing('pool 1')], '20m': [] },
  },
  {
    alert: 'SdsPoolPollsFailing',
    name: 'speaks of a pool whose name was never read',
    series: { sds_pool_up: '0x14' },
    at: { '10m': [failing('p1')] },
  },
  {
    alert: 'SdsPoolPollsFailing',
    name: 'is silent while one exporter can poll, and for a few failures',
    series: {
      'sds_pool_up{instance="a"}': '0x20',
      'sds_pool_up{instance="b"}': '1x20',
      'sds_pool_up{pool_id="p2"}': '0x8 1x10',
    },
    at: { '10m': [], '20m': [] },
  },
  {
    alert: 'SdsPoolsUnknown',
    name: 'fires after 10 minutes and ends 5 minutes after the first poll',
    series: { sds_system_up: '1x60', sds_pool_up: '_x20 1x40' },
    at: { '9m': [], '10m': [poolsUnknown], '24m': [poolsUnknown], '25m': [] },
  },
  {
    alert: 'SdsPoolsUnknown',
    name: 'is silent for a system that does not answer, and while polls fail',
    series: {
      sds_system_up: '0x20',
      'sds_system_up{system="paris"}': '1x20',
      'sds_pool_up{system="paris"}': '0x20',
    },
    at: { '20m': [] },
  },
  {
    alert: 'SdsPollErrorsHigh',
    name: 'fires after 15 minutes for the worse of the exporters and ends 15 minutes after the last failure',
    series: {
      'sds_pool_polls_total{instance="a",result="ok"}': '0+1x120',
      'sds_pool_polls_total{instance="b",result="ok"}': '0+17x40 697+20x80',
      'sds_pool_polls_total{instance="b",result="timeout"}': '0+3x40 120x80',
      sds_pool_info: '1x120',
    },
    at: { '10m': [], '20m': [errorsHigh], '40m': [errorsHigh], '60m': [] },
  },
  {
    alert: 'SdsPollErrorsHigh',
    name: 'is silent without failures, for few of them, and without polls',
    series: {
      'sds_pool_polls_total{result="ok"}': '0+19x60',
      'sds_pool_polls_total{result="timeout"}': '0+1x60',
      'sds_pool_polls_total{pool_id="p2",result="ok"}': '0+1x60',
      'sds_pool_polls_total{pool_id="p3",result="timeout"}': '5x60',
    },
    at: { '60m': [] },
  },
  {
    alert: 'SdsPollsOverdue',
    name: 'fires 10 minutes after 5 minutes without a poll and ends with it',
    series: { [LAST]: '0x19 1200x10', sds_pool_up: '1x40', sds_pool_info: '1x40' },
    at: { '15m': [], '16m': [overdue], '20m': [] },
  },
  {
    alert: 'SdsPollsOverdue',
    name: 'is silent while polls fail, because that has alerts of its own',
    series: { [LAST]: '0x40', sds_pool_up: '0x40' },
    at: { '40m': [] },
  },
]

const SAMPLE = 'sds_node_sample_timestamp_seconds'
const POOL_PAGE = '/d/sds-pool?var-system=frankfurt&var-pool=pool+1'
const frozenAt = (age: string) =>
  fired('SdsFeedFrozen', 'critical', 'exporter', POOL, {
    summary: 'A storage system answers with old samples.',
    description: `Pool pool 1 of system frankfurt: the newest sample is ${age} old, although polls succeed. The system's own statistics stand still, so its health status cannot be trusted either.`,
    dashboard: POOL_PAGE,
  })
const categoryAt = (age: string, category: string) =>
  fired(
    'SdsCategoryFrozen',
    'warning',
    'exporter',
    { ...POOL, category },
    {
      summary: 'A category of samples of a storage pool stands still.',
      description: `Pool pool 1 of system frankfurt: the newest sample of the category ${category} is ${age} old.`,
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

const frozen: readonly AlertCase[] = [
  {
    alert: 'SdsFeedFrozen',
    name: 'fires 5 minutes after 15 without a new sample of any category, and ends with it',
    series: {
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
      [`${SAMPLE}{system="paris",category="health"}`]: '0+60x60',
      [`${SAMPLE}{category="health"}`]: '0+60x60',
      [`${SAMPLE}{category="traffic"}`]: '0x60',
      [`${SAMPLE}{node="n2",category="health"}`]: '0x60',
      'sds_node_info{pool="pool 3"}': '1x60',
    },
    at: { '60m': [] },
  },
  {
    alert: 'SdsCategoryFrozen',
    name: 'names the category, after 10 minutes above 15, and ends with the next sample',
    series: {
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
      [`${SAMPLE}{category="traffic"}`]: '0x60',
      [`${SAMPLE}{node="n2",category="traffic"}`]: '0x4 300x4 600x4 900x4 1200x4 1500x4 1800x4 2100x4',
    },
    at: { '30m': [], '39m': [] },
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
    'System frankfurt and an exporter disagree on the time by 45s. Ages and histories are wrong by as much.',
  dashboard: SYSTEM_PAGE,
})
const REJECTED = 'sds_api_rejected_values_total{attribute="diskSpaceFree",reason="negative"}'
const rejected = fired(
  'SdsValuesRejected',
  'warning',
  'exporter',
  { ...SYSTEM, attribute: 'diskSpaceFree', reason: 'negative' },
  {
    summary: 'Values of the feed are not exported, because they cannot be right.',
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
    'Pool pool 1 of system frankfurt stopped serving 2 attributes within a day. Panels and alerts that need them are empty.',
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

export const exporterCases: readonly AlertCase[] = [...processes, ...polls, ...frozen, ...values]
