import { describe, expect, test } from 'vitest'
import {
  examinePrometheus,
  type LoadedRule,
  type QueriedSample,
  type ScrapeTarget,
} from '../../../src/commands/doctor/services/prometheus.ts'
import { readVersion } from '../../../src/exporter/version.ts'
import { finding } from './doctor_setup.ts'

const TARGET: ScrapeTarget = { job: 'storage', instance: 'a:9438', health: 'up', lastError: '' }
const LABELS = { job: 'storage', instance: 'a:9438', system: 'frankfurt', pool: 'Hot', pool_id: 'hot' }

interface Responses {
  readonly targets?: readonly ScrapeTarget[]
  readonly up?: readonly QueriedSample[]
  readonly rules?: readonly LoadedRule[]
}

/** Findings for a Prometheus with these responses, by the title of the check. */
async function diagnose({ targets = [TARGET], up = [{ labels: LABELS, value: 1 }], rules = [] }: Responses) {
  const client = {
    url: 'http://prometheus:9090',
    targets: async () => targets,
    rules: async () => rules,
    alertmanagers: async () => [],
    query: async () => up,
  }
  const systems = [{ name: 'frankfurt', pools: [{ id: 'hot', name: undefined }] }]
  const reports = await examinePrometheus(
    { client, systems, sendsTestAlert: false },
    { signal: new AbortController().signal, onCheck: () => undefined },
  )
  return (title: string) =>
    reports.filter((report) => report.title === title).flatMap(({ findings }) => findings)
}

describe('pools', () => {
  test.each([
    ['up for one of two exporters', [1, 0], 'ok', 'up: 1 pool'],
    ['down for both', [0, 0], 'fail', 'polls of the running exporter fail'],
  ] as const)('%s', async (_, values, status, text) => {
    const up = values.map((value, index) => ({ labels: { ...LABELS, instance: `${index}` }, value }))
    const targets = values.map((_, index) => ({ ...TARGET, instance: `${index}` }))
    expect((await diagnose({ up, targets }))('pools')).toMatchObject([{ status, text }])
  })

  test('of a system that was added or renamed after the last scrape', async () => {
    const up = [{ labels: { ...LABELS, system: 'paris' }, value: 1 }]
    const text = 'Prometheus has no pools of this system'
    const remedy = /added or renamed after the last scrape, wait one scrape interval/
    expect((await diagnose({ up }))('pools')).toEqual([finding('fail', text, remedy, 'frankfurt')])
  })
})

describe('before the first scrape', () => {
  const UNSCRAPED = { ...TARGET, health: 'unknown' }

  test.each([
    ['with the default name of the job', { ...UNSCRAPED, job: 'sds-exporter' }],
    ['with another name', UNSCRAPED],
  ])('%s, one scrape interval is waited for', async (_, target) => {
    const found = await diagnose({ targets: [target], up: [] })
    expect(found('target')).toMatchObject([
      finding('warn', 'has not been scraped yet', 'wait one scrape interval, and run this again'),
    ])
    expect(found('pools')).toMatchObject([{ status: 'skip', text: 'skipped: needs target' }])
  })
})

describe('rules', () => {
  const alert = (name: string, query: string, more: Partial<LoadedRule> = {}): LoadedRule => ({
    type: 'alerting',
    name,
    query,
    labels: {},
    health: 'ok',
    lastError: '',
    ...more,
  })
  const OURS = alert('SdsPollFailing', 'sds_pool_up == 0')
  const info = (version: string) =>
    alert('sds:rules_info', 'vector(1)', { type: 'recording', labels: { version, file: 'sds-alerts' } })
  const INFO = info(readVersion())
  const OLD = info('0.0.9')
  const OTHER = alert('Other', 'up == 0')
  const RECORDING = alert('system:x', 'sum(sds_pool_up)', { type: 'recording' })
  const FAILING = alert('SdsX', 'sds_y', { health: 'err', lastError: 'duplicate series' })
  const DOWN = alert('SdsExporterDown', 'up{job="sds-exporter"} == 0')
  const NOT_SELECTED = /select the job sds-exporter, but the exporter is scraped as storage/

  test.each([
    ['no rules', [], 'warn', /has no alerts/, /rule_files/],
    ['other rules', [OTHER], 'warn', /has no alerts/, /rule_files/],
    ['recording rules only', [RECORDING], 'warn', /has no alerts/, /rule_files/],
    ['ours', [OURS, INFO, OTHER], 'ok', /^loaded: 1 alert, 0 recording rules$/, undefined],
    [
      'a rule that fails',
      [OURS, FAILING],
      'fail',
      /^cannot be evaluated: duplicate series$/,
      /version of Prometheus/,
    ],
    ['rules of another version', [OURS, INFO, OLD], 'warn', /are of 0\.0\.9, this program is/, /rules --out/],
    ['older rules', [OURS], 'warn', /are of an older version without a mark/, /rules --out/],
    [
      'another job',
      [OURS, INFO, DOWN],
      'warn',
      NOT_SELECTED,
      /^set job_name: sds-exporter, or alerting\.job/,
    ],
  ] as const)('with %s', async (_, rules, status, text, remedy) => {
    const [finding] = (await diagnose({ rules }))('rules')
    expect(finding).toMatchObject({ status, text: expect.stringMatching(text) })
    if (remedy !== undefined) expect(finding?.remedy).toMatch(remedy)
  })
})

test('no Alertmanager is a warning', async () => {
  expect((await diagnose({}))('alerting')).toMatchObject([
    { status: 'warn', text: expect.stringContaining('no Alertmanager') },
  ])
})
