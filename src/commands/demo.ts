import { Command } from 'commander'
import { parseConfig } from '../config/load.ts'
import { createEmulator } from '../emulator/emulator.ts'
import { ACCOUNTS, PASSWORD } from '../emulator/http/sessions.ts'
import { SCENARIOS, type Scenario } from '../emulator/model/scenarios.ts'
import type { EmulatorOptions } from '../emulator/options.ts'
import { createExporter } from '../exporter/exporter.ts'
import { counted, namesText } from '../text.ts'
import { ListenError, MAX_PORT, parseListenAddress } from '../values/listen_address.ts'
import { CommandError, EXIT } from './cli/exit.ts'
import { EXPORTER_FLAGS, exporterOptions, logFrom } from './cli/flags/flags.ts'
import { addFlags, type FlagsOf, type FlagTable, parseAddress } from './cli/flags/table.ts'
import { runUntilSignalled } from './cli/lifetime.ts'
import { itemList, paragraph } from './cli/output/width.ts'
import {
  addHelp,
  createFromOptions,
  EMULATOR_FLAGS,
  emulatorOptions,
  startEmulatedSystem,
} from './emulate.ts'

const FLAGS = {
  ...EMULATOR_FLAGS,
  ...EXPORTER_FLAGS,
  '--emulator.listen-address <address>': {
    description:
      'listen address of the emulated system, of which the second has the next port; port 0 selects free ports',
    parse: parseAddress,
    default: '127.0.0.1:0',
  },
} as const satisfies FlagTable
type Flags = FlagsOf<typeof FLAGS>

const HELP = `
Emulates two storage systems with the same pools, nodes and values:
  classic  version 3.5, with performance metrics in the dashboard API
  modern   version 4.3, with performance metrics in the Flux API

Try:
  sds-exporter demo --scenario=node-down
  sds-exporter demo --fault=status:503@nodes`

export function demoCommand(): Command {
  const command = new Command('demo').description(
    'run the exporter with emulated storage systems; needs no configuration',
  )
  return addHelp(addFlags(command, FLAGS), HELP).action(demo)
}

async function demo(flags: Flags): Promise<void> {
  const log = logFrom(flags)
  const systems = createDemoSystems({
    ...emulatorOptions(flags),
    listenAddress: flags['emulator.listenAddress'],
  })
  try {
    await systems.start()
    const exporter = createExporter({
      load: () => parseConfig(systems.config(), { file: 'the demo configuration', environment: process.env }),
      log,
      ...exporterOptions(flags),
    })
    // Without reload(): SIGHUP, which a closed terminal sends, stops the demo.
    const { start, stop } = exporter
    await runUntilSignalled({ start, stop }, log, () =>
      process.stdout.write(
        welcomeText({
          systems: systems.describe(),
          scenario: flags.scenario,
          url: exporter.url,
          adminUrl: exporter.adminUrl,
          metricsPath: flags['web.telemetryPath'],
        }),
      ),
    )
  } catch (failure) {
    if (!(failure instanceof ListenError) || !isNpmStart()) throw failure
    throw new CommandError(`${failure.message}; with npm, flags follow two dashes: npm start -- FLAG`)
  } finally {
    await systems.stop()
  }
}

interface WelcomeOptions {
  /** The emulated systems, as lines. */
  readonly systems: string
  readonly scenario: Scenario
  /** The listener for metrics. */
  readonly url: string
  /** The administration; undefined: it is disabled. */
  readonly adminUrl: string | undefined
  /** `--web.telemetry-path` */
  readonly metricsPath: string
}

/** A command or an address, and its description. */
type Row = readonly [string, string]

/** Text of the demo when it runs: addresses to open, and commands to try next. */
export function welcomeText(options: WelcomeOptions): string {
  const { systems, scenario } = options
  const { help } = SCENARIOS[scenario]
  const scenarioText = scenario === 'healthy' ? '' : `\n${paragraph(`Scenario ${scenario}: ${help}.`)}\n`
  return `${systems}${scenarioText}
${pagesText(options)}
Try next:
${itemList(suggestions(scenario))}

Press Ctrl+C to stop.
`
}

function pagesText({ url, adminUrl, metricsPath }: WelcomeOptions): string {
  const pages: readonly Row[] = [
    [`${url}/`, 'status page: systems, pools, nodes'],
    [`${url}${metricsPath}`, 'metrics for Prometheus'],
    ...(adminUrl === undefined
      ? []
      : [[`${adminUrl}/`, 'administration; sign in with the token emulator-security'] as const]),
  ]
  return `Open in a browser:\n${itemList(pages)}\n`
}

function isNpmStart(): boolean {
  return process.env['npm_lifecycle_event'] === 'start'
}

/** Commands as the user has to type them: in a clone with npm, else with the installed program. */
function suggestions(scenario: Scenario): readonly Row[] {
  const command = isNpmStart() ? 'npm start --' : 'sds-exporter demo'
  const other = scenario === 'node-down' ? 'disk-failures' : 'node-down'
  return [
    [`${command} --scenario=${other}`, `${SCENARIOS[other].help}`],
    [`${command} --fault=status:503@nodes`, 'polls fail'],
    [`${command} --help-all`, 'all scenarios and faults'],
  ]
}

/** One system for each source of performance metrics. Both have the same nodes and the same values. */
const SYSTEMS = [
  { name: 'classic', help: 'version 3.5, performance metrics in the dashboard API' },
  { name: 'modern', help: 'version 4.3, performance metrics in the Flux API' },
] as const

/** @throws {CommandError} usage error, for invalid options */
export function createDemoSystems(options: EmulatorOptions & { listenAddress: string }) {
  const systems = SYSTEMS.map(({ name, help }, index) => {
    const listenAddress = addressOf(options.listenAddress, index)
    const own = { ...options, profile: name, listenAddress, vdcName: `vdc-${name}` }
    return { name, help, listenAddress, emulator: createFromOptions(() => createEmulator(own)) }
  })
  return {
    /** @throws {ListenError} when an address cannot be bound */
    async start(): Promise<void> {
      for (const { emulator, listenAddress } of systems)
        await startEmulatedSystem(emulator, listenAddress, '--emulator.listen-address')
    },
    async stop(): Promise<void> {
      await Promise.all(systems.map(({ emulator }) => emulator.stop()))
    },
    /**
     * The configuration of the exporter, as YAML. Polls often, so that metrics change while the demo is watched. New points
     * of the Flux API are read soon, and the first values are not delayed by the limit that protects real systems.
     */
    config: () => `
systems:
${systems
  .map(
    ({ name, emulator: { url } }) => `  - name: ${name}
    base_url: ${url}
    auth: {username: monitor, password: ${PASSWORD}}`,
  )
  .join('\n')}
poll: {schedule: "*/15 * * * * *", max_random_delay: 0s}
performance: {schedule: "0 * * * * *"}
limits: {requests_per_second: 1000}
`,
    /** URLs, pools and users, for the terminal. */
    describe: (): string => {
      const lines = systems.map(({ name, help, emulator }) => [name, `${emulator.url}   ${help}`] as const)
      const [first] = systems
      const pools =
        first?.emulator.pools.map(({ name, nodes }) => `${name} (${counted(nodes.length, 'node')})`) ?? []
      const users = Object.entries(ACCOUNTS).map(([user, { token }]) => `${user} (token ${token})`)
      return `Emulated storage systems, with the same pools, nodes and values:
${itemList(lines)}
${paragraph(`  Pools: ${namesText(pools, String)}
  Users, with the password ${PASSWORD}: ${users.join(', ')}`)}
`
    },
  }
}

/** Each system has the port after that of the one before it. */
function addressOf(first: string, index: number): string {
  const { port } = parseListenAddress(first)
  if (port === 0 || index === 0) return first
  if (port + index > MAX_PORT)
    throw new CommandError(`--emulator.listen-address=${first}: two systems need two ports`, EXIT.usage)
  return first.replace(/\d+$/, String(port + index))
}
