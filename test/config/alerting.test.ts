import { describe, expect, test } from 'vitest'
import { DEFAULT_ALERTING } from '../../src/alerting/config.ts'
import { loadAlerting, parseConfig } from '../../src/config/load.ts'
import { ConfigError } from '../../src/config/values/problems.ts'
import { temporaryFolder } from '../support/folders.ts'

const SYSTEM = 'systems:\n  - {name: frankfurt, base_url: "https://a:4443", auth: {token: abc}}\n'

function load(text: string, environment: Record<string, string> = {}) {
  using folder = temporaryFolder()
  return loadAlerting(folder.write('alerting.yml', text), environment)
}

function problemsOf(action: () => unknown): string[] {
  try {
    action()
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    return failure.problems.map(({ path, message }) => `${path}: ${message}`)
  }
  return []
}

describe('the section alerting', () => {
  test('is loaded with every key', () => {
    const config = load(
      `
alerting:
  runbook_base_url: https://wiki.example.net/alerts.md
  grafana_url: https://grafana.example.net/graphs/
  job: storage/sds
  show_cluster: "\${SHOW_CLUSTER}"
  labels: {team: storage}
  thresholds:
    used_ratio: {warning: 0.7, critical: "\${CRITICAL}"}
    forecast: {warning: 60d}
    read_latency: {warning: 200ms}
    outlier_factor: 2.5
    forecast_target_percent: 80
  for:
    SdsNodesSuspect: 90m
    SdsNodeBad: 0s
  keep_firing_for: {SdsDisksBad: 1h}
  disabled: [SdsNodesCpuBusy]
  overrides:
    - {system: frankfurt, thresholds: {cpu_ratio: {critical: 0.95}}}
    - {system: frankfurt, pool: pool 1, for: {SdsNodesSuspect: 1h}, disabled: [SdsDisksBad]}
`,
      { CRITICAL: '0.85', SHOW_CLUSTER: 'true' },
    )
    const nothing = { values: {}, for: {}, keepFiringFor: {}, disabled: [] }
    expect(config).toEqual({
      runbookBaseUrl: 'https://wiki.example.net/alerts.md',
      grafanaUrl: 'https://grafana.example.net/graphs',
      labels: { team: 'storage' },
      values: {
        'usedRatio.warning': 0.7,
        'usedRatio.critical': 0.85,
        'forecastSeconds.warning': 60 * 86_400,
        'readLatencySeconds.warning': 0.2,
        outlierFactor: 2.5,
        forecastTargetPercent: 80,
        job: 'storage/sds',
        clusterHide: 0,
      },
      for: { SdsNodesSuspect: '90m', SdsNodeBad: '0s' },
      keepFiringFor: { SdsDisksBad: '1h' },
      disabled: ['SdsNodesCpuBusy'],
      overrides: [
        { ...nothing, system: 'frankfurt', pool: undefined, values: { 'cpuRatio.critical': 0.95 } },
        {
          ...nothing,
          system: 'frankfurt',
          pool: 'pool 1',
          for: { SdsNodesSuspect: '1h' },
          disabled: ['SdsDisksBad'],
        },
      ],
    })
  })

  test.each([
    ['a file of its own', 'alerting: {}\n'],
    ['a configuration file', `${SYSTEM}alerting: {}\n`],
    ['a configuration file without the section', SYSTEM],
  ])('has the defaults if it is empty, in %s', (_, text) => {
    expect(load(text)).toEqual({ ...DEFAULT_ALERTING, runbookBaseUrl: undefined, grafanaUrl: undefined })
  })

  test('needs neither secrets nor variables of other sections', () => {
    const text = `systems:\n  - {name: a, base_url: "\${URL}", auth: {token_file: /nowhere}}\nalerting: {disabled: [SdsNodeBad]}\n`
    expect(load(text).disabled).toEqual(['SdsNodeBad'])
  })

  describe('has a forecast target that is requested', () => {
    const lacking = (path: string, targets: string, target: number) => [
      `${path}: the targets (${targets}) lack ${target}, which alerts, dashboards and status page compare: add it, or set alerting.thresholds.forecast_target_percent to one of them`,
    ]
    const whole = (text: string) => parseConfig(text, { file: 'x.yml', environment: {} })
    const own = 'alerting: {thresholds: {forecast_target_percent: 70}}\n'
    const others = 'forecast: {targets: [70, 80]}\n'
    const two = `systems:\n${['a', 'b'].map((name) => `  - {name: ${name}, base_url: "https://${name}:4443", auth: {token: abc}`).join('}\n')}`

    test.each<[string, string, string[]]>([
      ['the default', others, lacking('systems[0].forecast', '70, 80', 90)],
      ['of the section', own, lacking('systems[0].forecast', '80, 90', 70)],
      ['of both', others + own, []],
      ['none: no forecasts', 'forecast: {targets: [70], schedule: ""}\n', []],
    ])('in a configuration file: %s', (_, text, problems) => {
      for (const read of [load, whole]) expect(problemsOf(() => read(SYSTEM + text))).toEqual(problems)
    })

    test('of one of its systems', () => {
      const text = `${two}, forecast: {targets: [50]}}\n`
      const problems = lacking('systems[1].forecast', '50', 90)
      for (const read of [load, whole]) expect(problemsOf(() => read(text))).toEqual(problems)
    })

    test.each<[string, string, string[]]>([
      ['of the section', own, lacking('forecast', '80, 90', 70)],
      ['of both', others + own, []],
      ['of the forecasts', `${others}alerting: {}\n`, lacking('forecast', '70, 80', 90)],
    ])('in a file of its own: %s', (_, text, problems) => {
      expect(problemsOf(() => load(text))).toEqual(problems)
    })
  })

  test('is checked with the whole configuration', () => {
    const parse = (text: string) => parseConfig(text, { file: 'x.yml', environment: {} })
    expect(parse(`${SYSTEM}alerting: {disabled: [SdsNodeBad]}\n`).alerting?.disabled).toEqual(['SdsNodeBad'])
    expect(parse(SYSTEM).alerting).toBeUndefined()
    expect(problemsOf(() => parse(`${SYSTEM}alerting: {disabled: [SdsNodeGood]}\n`))).toEqual([
      'alerting.disabled[0]: there is no alert of this name',
    ])
  })

  const GARBAGE = '.garbage_stalled: must be whole seconds, more than 0s and at most 3650d'
  /** Values of a key, and the problem of each. */
  const REFUSED: Readonly<Record<string, readonly (readonly [value: string, problem: string])[]>> = {
    labels: [
      ['{component: a}', '.component: the rules set this label'],
      ['{pool: a}', '.pool: the metrics have this label already: choose another name'],
    ],
    thresholds: [
      ['{usd_ratio: {warning: 0.7}}', '.usd_ratio: unknown key; did you mean used_ratio?'],
      ['{used_ratio: 0.7}', '.used_ratio: expected a mapping with the keys warning and critical'],
      ['{used_ratio: {warning: 80}}', '.used_ratio.warning: expected a ratio from 0 to 1'],
      ['{forecast: {warning: 30}}', '.forecast.warning: expected a duration like 30s, 5m, 7d or 4w'],
      ['{backlog_growth: 1h}', '.backlog_growth: must be whole seconds, more than 3600s and at most 3650d'],
      ['{outlier_factor: -1}', '.outlier_factor: must not be negative'],
      [
        '{forecast_target_percent: 0.9}',
        '.forecast_target_percent: expected a whole percentage from 1 to 100',
      ],
      ['{used_ratio: {warning: 0.95}}', '.used_ratio: critical is reached before warning'],
      ['{garbage_stalled: 0s}', GARBAGE],
      ['{garbage_stalled: 900ms}', GARBAGE],
      ['{garbage_stalled: 1500ms}', GARBAGE],
      ['{garbage_stalled: 20000w}', GARBAGE],
    ],
    for: [
      ['{SdsNodeGood: 5m}', '.SdsNodeGood: unknown key; did you mean SdsNodeBad?'],
      ['{SdsNodeBad: 1h30m}', '.SdsNodeBad: expected a duration like 30s, 5m, 7d or 4w'],
    ],
    keep_firing_for: [['{SdsNodeGood: 5m}', '.SdsNodeGood: unknown key; did you mean SdsNodeBad?']],
    disabled: [['[SdsNodeGood]', '[0]: there is no alert of this name']],
    grafana_url: [
      ['grafana', ': not a URL: write https://grafana'],
      [
        '"https://a:b@c"',
        ': must not contain a user or password: everybody who sees an alert sees its links',
      ],
    ],
    runbook_base_url: [['"https://c/#x"', ': must not have a query or a fragment']],
    job: [['a"b', ': may contain letters, digits and _ . / : - only']],
    overrides: [
      ['[{pool: a}]', '[0].system: missing: expected text'],
      ['[{system: a}, {system: a}]', '[1]: overrides[0] has the same system and pool'],
      ['[{system: a, disabled: [SdsExporterDown]}]', '[0].disabled[0]: cannot differ by system'],
      ['[{system: a, pool: b, for: {SdsClockSkew: 5m}}]', '[0].for.SdsClockSkew: cannot differ by pool'],
      [
        '[{system: a, thresholds: {exporter_restarts: 5}}]',
        '[0].thresholds.exporter_restarts: cannot differ by system',
      ],
      [
        '[{system: a, pool: b, thresholds: {certificate: {warning: 20d}}}]',
        '[0].thresholds.certificate: cannot differ by pool',
      ],
      [
        '[{system: a, thresholds: {used_ratio: {warning: 0.7, critical: 0.75}}}, {system: a, pool: b, thresholds: {used_ratio: {warning: 0.76}}}]',
        '[1].thresholds.used_ratio: critical is reached before warning',
      ],
    ],
  }
  const rows = Object.entries(REFUSED).flatMap(([key, values]) => values.map((row) => [key, ...row] as const))
  test.each(rows)('%s: %s is refused', (key, value, problem) => {
    expect(problemsOf(() => load(`alerting:\n  ${key}: ${value}\n`))).toEqual([`alerting.${key}${problem}`])
  })

  test('names a system that the same file does not have', () => {
    const overrides = 'alerting:\n  overrides: [{system: frankfurt}, {system: paris}]\n'
    expect(problemsOf(() => load(SYSTEM + overrides))).toEqual([
      'alerting.overrides[1].system: there is no system of this name',
    ])
    expect(problemsOf(() => load(overrides))).toEqual([])
  })

  test.each([
    [
      'thresholds: {}\n',
      ['alerting: missing: expected a mapping', 'thresholds: unknown key; it belongs under alerting'],
    ],
    [`${SYSTEM}alertng: {}\n`, ['alertng: unknown key; did you mean alerting?']],
    ['', ['alerting: missing: expected a mapping']],
    ['- a\n', [': expected a mapping with the key alerting']],
    [
      `alerting: {disabled: ["\${NAME}"]}\n`,
      ['alerting.disabled[0]: the environment variable NAME is not set'],
    ],
  ])('is missing or misspelt in %j', (text, problems) => {
    expect(problemsOf(() => load(text))).toEqual(problems)
  })
})
