import { type AlertCase, cases, fires } from './case.ts'

const INSTANCE = { instance: 'exporter-1:9438' }
const up = (instance: string, job = 'sds-exporter'): string => `up{job="${job}",instance="${instance}:9438"}`

const absent = fires({})
const down = fires({ ...INSTANCE, job: 'sds-exporter' })
const RELOAD = 'sds_exporter_config_last_reload_successful'
const START = 'process_start_time_seconds'
const restarting = fires(INSTANCE, '3')
const reload = fires(INSTANCE)
const ofExporter = (metric: string, instance = 'exporter-1'): string =>
  `${metric}{job="sds-exporter",instance="${instance}:9438"}`

const push = (result: string, instance?: string): string =>
  ofExporter('sds_otlp_exports_total', instance).replace('}', `,result="${result}"}`)
const pushFailing = fires(INSTANCE)

const shard = (shard: string, replica: string): string =>
  `up{job="sds-exporter",instance="exporter-1:9438",shard="${shard}",replica="${replica}"}`
const shardMissing = fires({ shard: '0' })
const replicaMissing = fires({ shard: '0', replica: 'a' })

export const exporterCases: readonly AlertCase[] = [
  ...cases('SdsExporterAbsent', 'critical', {
    'fires 10 minutes after the last exporter stopped and ends when one is up': {
      series: { [up('exporter-1')]: '1x9 0x19 1x10', [up('exporter-2')]: '0x40' },
      at: { '19m': [], '20m': [absent], '29m': [absent], '30m': [] },
    },
    'fires without any target': {
      series: { [up('other', 'node')]: '1x20' },
      at: { '9m': [], '10m': [absent] },
    },
    'is silent while one of two is up': {
      series: { [up('exporter-1')]: '0x20', [up('exporter-2')]: '1x20' },
      at: { '20m': [] },
    },
  }),
  ...cases('SdsExporterDown', 'warning', {
    'names the exporter that is down, after 5 minutes': {
      series: { [up('exporter-1')]: '0x9 1x10', [up('exporter-2')]: '1x20' },
      at: { '4m': [], '5m': [down], '9m': [down], '10m': [] },
    },
    'is silent for a restart, and for targets of other jobs': {
      series: { [up('exporter-1')]: '0x3 1x20', [up('other', 'node')]: '0x20' },
      at: { '4m': [], '5m': [], '20m': [] },
    },
  }),
  ...cases('SdsExporterRestarting', 'warning', {
    'fires at the third start within an hour and ends 15 minutes after there are fewer': {
      interval: '30s',
      series: { [ofExporter(START)]: '100x19 700x19 1300x19 1900x240' },
      at: { '29m': [], '30m': [restarting], '84m': [restarting], '85m': [] },
    },
    'is silent for an upgrade of both exporters': {
      series: { [ofExporter(START)]: '100x9 700x60', [ofExporter(START, 'exporter-2')]: '100x9 760x60' },
      at: { '60m': [] },
    },
  }),
  ...cases('SdsConfigReloadFailed', 'warning', {
    'fires after 5 and 10 minutes with a refused file and ends when it is accepted': {
      interval: '30s',
      series: { [ofExporter(RELOAD)]: '1x19 0x59 1x20', [ofExporter(RELOAD, 'exporter-2')]: '1x120' },
      at: { '24m': [], '25m': [reload], '39m': [reload], '40m': [] },
    },
    'is silent when the file is corrected within 10 minutes': {
      series: { [ofExporter(RELOAD)]: '1x9 0x9 1x40' },
      at: { '25m': [], '40m': [] },
    },
  }),
  ...cases('SdsOtlpPushFailing', 'warning', {
    'fires 10 minutes after the last success is half an hour ago, and ends 5 minutes after the next one': {
      series: { [push('ok')]: '0+1x10 10x49 10+1x20', [push('timeout')]: '0x10 0+1x49 49x20' },
      at: { '49m': [], '51m': [pushFailing], '59m': [pushFailing], '70m': [] },
    },
    'fires if no push ever succeeds': {
      series: { [push('ok')]: '0x20', [push('partial')]: '0+1x20' },
      at: { '9m': [], '12m': [pushFailing] },
    },
    'is silent while some pushes succeed, and without pushes': {
      series: { [push('ok')]: '0+1x60', [push('skipped')]: '0+3x60', [push('ok', 'exporter-2')]: '3x60' },
      at: { '30m': [], '60m': [] },
    },
  }),
  ...cases('SdsShardMissing', 'critical', {
    'fires 5 minutes after the samples of its last server end, also if no exporter was up, and ends with the next':
      {
        series: {
          [shard('0', 'a')]: '1x9 stale',
          [shard('0', 'b')]: '0x9 stale _x19 1x10',
          [shard('1', 'a')]: '1x40',
        },
        at: { '14m': [], '15m': [shardMissing], '29m': [shardMissing], '30m': [] },
      },
    'is silent while a server of the shard sends samples, and without shards': {
      series: { [shard('0', 'a')]: '1x9 stale', [shard('0', 'b')]: '1x40', [up('exporter-1')]: '1x9 stale' },
      at: { '15m': [], '40m': [] },
    },
  }),
  ...cases('SdsShardReplicaMissing', 'warning', {
    'fires 15 minutes after the samples of one server end, and ends with the next': {
      series: { [shard('0', 'a')]: '1x9 stale _x19 1x10', [shard('0', 'b')]: '1x40' },
      at: { '24m': [], '25m': [replicaMissing], '29m': [replicaMissing], '30m': [] },
    },
    'is silent for a restart, and without the label': {
      series: {
        [shard('0', 'a')]: '1x9 stale _x12 1x20',
        'up{job="sds-exporter",instance="exporter-1:9438",shard="1"}': '1x9 stale',
      },
      at: { '25m': [], '40m': [] },
    },
  }),
]
