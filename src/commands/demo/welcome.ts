import { SCENARIOS, type Scenario } from '../../emulator/model/scenarios.ts'
import type { Exporter } from '../../exporter/exporter.ts'

interface WelcomeOptions {
  /** The emulated systems, as lines. */
  readonly systems: string
  readonly scenario: Scenario
  readonly exporter: Pick<Exporter, 'url' | 'adminUrl'>
  /** `--web.telemetry-path` */
  readonly metricsPath: string
}

/** What to type or open, and what it is. */
type Row = readonly [string, string]

const COMPOSE = 'docker compose --file deploy/compose/compose.yaml --file deploy/compose/demo.yaml up --build'

/** What the demo prints when it runs: what to open, and what to try next. */
export function welcomeText({ systems, scenario, exporter, metricsPath }: WelcomeOptions): string {
  const { url, adminUrl } = exporter
  const pages: readonly Row[] = [
    [`${url}/`, 'status page: systems, pools, nodes'],
    [`${url}${metricsPath}`, 'metrics for Prometheus'],
    ...(adminUrl === undefined
      ? []
      : [[`${adminUrl}/`, 'administration; sign in with the token emulator-security'] as const]),
  ]
  const { help } = SCENARIOS[scenario]
  const trouble = scenario === 'healthy' ? '' : `\nScenario ${scenario}: ${help}.\n`
  return `${systems}${trouble}
Open in a browser:
${listing(pages)}
Try next:
${listing(suggestions(scenario))}
Press Ctrl+C to stop.
`
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

/** Two columns; what does not fit beside the first is below it. */
function listing(rows: readonly Row[]): string {
  const width = Math.min(MAX_WIDTH, Math.max(...rows.map(([name]) => name.length)))
  return rows
    .map(([name, help]) =>
      name.length > width
        ? `  ${name}\n  ${' '.repeat(width)}   ${help}\n`
        : `  ${name.padEnd(width)}   ${help}\n`,
    )
    .join('')
}

const MAX_WIDTH = 44
