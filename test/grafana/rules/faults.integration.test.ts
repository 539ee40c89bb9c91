import { beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { milliseconds } from '../../../grafana/mixin/promql/duration.ts'
import { type ExpectedAlert, FAULTS, type Fault, waitOf } from '../../../grafana/mixin/rules/faults.ts'
import { renderRules } from '../../../grafana/mixin/rules/rules.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { testRules } from '../../support/promtool.ts'
import { END, HEALED, type Played, POLL_MINUTES, playFaults } from './play_faults.ts'

/** Alerts with a longer `for` are checked as pending, not as firing. */
const LONGEST_FOR_MS = milliseconds('70m')
/** Of played rules, so that alerts resolve soon; rules.integration.test.ts tests the original ones. */
const KEEP_FIRING = '10m'

interface Rule {
  readonly expr: string
  readonly keep_firing_for?: string
}
interface Group {
  readonly rules: readonly Rule[]
}

const GROUPS = renderRules().flatMap(
  ({ text }) => (parse(text) as { readonly groups: readonly Group[] }).groups,
)
const RULES = stringify({
  groups: GROUPS.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      ...(rule.keep_firing_for && { keep_firing_for: KEEP_FIRING }),
    })),
  })),
})
const FAMILIES = new Set(RULES.match(/\bsds_\w+/g))

/** promtool's notation of samples of each minute; every value is scraped until the next poll. */
function valuesOf(values: readonly (number | undefined)[]): string {
  const polls = Array.from({ length: END / POLL_MINUTES }, (_, poll) => values[poll])
  const texts = polls.map((value, poll) => {
    if (value !== undefined) return `${value}+0x${POLL_MINUTES - 1}`
    return poll === 0 || polls[poll - 1] === undefined ? `_x${POLL_MINUTES}` : `stale _x${POLL_MINUTES - 1}`
  })
  return texts.join(' ')
}

const minute = (count: number) => `${count}m`

/** All alerts of a system by name and subject, in one minute or within several of them. */
const alertsOf = ({ name, tolerated = [] }: Fault, state: string, range = ''): string => {
  const selector = `ALERTS{system="${name}",alertname!~"${tolerated.join('|')}",${state}}`
  const vector = range === '' ? selector : `max_over_time(${selector}[${range}])`
  return `group by (alertname, pool, node, category) (${vector})`
}

const waitsLong = ({ alert }: ExpectedAlert): boolean => waitOf(alert) > LONGEST_FOR_MS
const LONG = [...new Set(FAULTS.flatMap(({ alerts }) => alerts.filter(waitsLong).map(({ alert }) => alert)))]

const SUBJECT: Readonly<Record<number, readonly string[]>> = { 0: [], 1: ['pool'], 2: ['pool', 'node'] }
function labelsOf(alert: string, subject: string): string {
  const parts = subject === '' ? [] : subject.split('/')
  const names = alert === 'SdsCategoryFrozen' ? ['pool', 'category'] : (SUBJECT[parts.length] ?? [])
  const labels = names.map((name, index) => `${name}="${parts[index]}"`)
  return `{${[`alertname="${alert}"`, ...labels].join(', ')}}`
}

const samplesOf = (alerts: readonly ExpectedAlert[]) =>
  alerts.flatMap(({ alert, on }) => on.map((subject) => ({ labels: labelsOf(alert, subject), value: 1 })))

const testOf = (fault: Fault, played: Played) => ({
  name: fault.name,
  interval: '1m',
  input_series: [
    ...[...played].flatMap(([series, values]) => {
      const [, family = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? []
      // Without those of the process of the exporter.
      if (!FAMILIES.has(family) || !labels.includes('system="')) return []
      const all = [labels, 'job="sds-exporter"', 'instance="a:9438"'].filter((text) => text !== '').join()
      return { series: `${family}{${all}}`, values: valuesOf(values) }
    }),
    { series: 'up{job="sds-exporter",instance="a:9438"}', values: `1+0x${END}` },
  ],
  promql_expr_test: [
    {
      expr: alertsOf(fault, 'alertstate="firing"', minute(HEALED)),
      eval_time: minute(HEALED),
      exp_samples: samplesOf(fault.alerts.filter((alert) => !waitsLong(alert))),
    },
    {
      expr: alertsOf(fault, `alertname=~"${LONG.join('|')}"`),
      eval_time: minute(HEALED),
      exp_samples: samplesOf(fault.alerts.filter(waitsLong)),
    },
    { expr: alertsOf(fault, 'alertstate="firing"'), eval_time: minute(END), exp_samples: [] },
    { expr: 'ALERTS{system="",alertstate="firing"}', eval_time: minute(HEALED), exp_samples: [] },
  ],
})

describe('alerts', () => {
  let played: ReadonlyMap<Fault, Played>
  beforeAll(async () => {
    played = await playFaults(FAULTS)
  }, 600_000)

  test.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    '%s raises exactly its alerts, which resolve when it ends',
    async (_, fault) => {
      using folder = temporaryFolder()
      folder.write('rules.yml', RULES)
      const text = stringify({
        rule_files: ['rules.yml'],
        evaluation_interval: minute(POLL_MINUTES),
        tests: [testOf(fault, played.get(fault) ?? new Map())],
      })
      const { code, stdout, stderr } = await testRules(folder.write('test.yml', text))
      expect(code === 0 ? '' : `${stdout}${stderr}`).toBe('')
    },
  )
})
