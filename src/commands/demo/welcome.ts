import { SCENARIOS, type Scenario } from '../../emulator/model/scenarios.ts'
import type { ReachableUrl } from '../cli/flags/external_address.ts'
import { itemList, paragraph } from '../cli/output/help_text.ts'

interface WelcomeOptions {
  /** The emulated systems, as lines. */
  readonly systems: string
  readonly scenario: Scenario
  /** The listener for metrics; undefined: clients cannot reach it. */
  readonly page: ReachableUrl | undefined
  /** The administration; undefined: it is disabled, or clients cannot reach it. */
  readonly adminUrl: string | undefined
  /** `--web.telemetry-path` */
  readonly metricsPath: string
}

/** What to type or open, and what it is. */
type Row = readonly [string, string]

const COMPOSE = 'docker compose --file deploy/compose/compose.yaml --file deploy/compose/demo.yaml up --build'

/** What the demo prints when it runs: what to open, and what to try next. */
export function welcomeText(options: WelcomeOptions): string {
  const { systems, scenario } = options
  const { help } = SCENARIOS[scenario]
  const trouble = scenario === 'healthy' ? '' : `\n${paragraph(`Scenario ${scenario}: ${help}.`)}\n`
  return `${systems}${trouble}
${pagesText(options)}
Try next:
${itemList(suggestions(scenario))}

Press Ctrl+C to stop.
`
}

function pagesText({ page, adminUrl, metricsPath }: WelcomeOptions): string {
  if (page === undefined)
    return 'The listen address is one of the container only; start it with --web.listen-address=:9438.\n'
  const pages: readonly Row[] = [
    [`${page.url}/`, 'status page: systems, pools, nodes'],
    [`${page.url}${metricsPath}`, 'metrics for Prometheus'],
    ...(adminUrl === undefined
      ? []
      : [[`${adminUrl}/`, 'administration; sign in with the token emulator-security'] as const]),
  ]
  const note = page.note === undefined ? '' : `${page.note}\n`
  return `Open in a browser:\n${itemList(pages)}\n${note}`
}

/** Commands as the user has to type them: in a clone with npm, else with the installed program. */
function suggestions(scenario: Scenario): readonly Row[] {
  const isNpm = process.env['npm_lifecycle_event'] === 'start'
  const command = isNpm ? 'npm start --' : 'sds-exporter demo'
  const other = scenario === 'node-down' ? 'disk-failures' : 'node-down'
  return [
    [`${command} --scenario=${other}`, `${SCENARIOS[other].help}`],
    [`${command} --fault=status:503@nodes`, 'polls fail'],
    [`${command} --help-all`, 'all scenarios, profiles and faults'],
    ...(isNpm ? [[COMPOSE, 'with Prometheus, Alertmanager and Grafana'] as const] : []),
  ]
}
