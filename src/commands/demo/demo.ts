import { Command } from 'commander'
import { parseConfig } from '../../config/load.ts'
import { createExporter } from '../../exporter/exporter.ts'
import {
  addEmulatorFlags,
  addHelp,
  type EmulatorFlags,
  emulatorOptions,
} from '../cli/flags/emulator_flags.ts'
import { externalAddress, reachableUrl } from '../cli/flags/external_address.ts'
import {
  type AdminFlags,
  addAdminFlags,
  addLogFlags,
  addWebFlags,
  exporterOptions,
  type LogFlags,
  logFrom,
  type WebFlags,
} from '../cli/flags/flags.ts'
import { parseAddress } from '../cli/flags/values.ts'
import { runUntilSignalled } from '../cli/lifetime.ts'
import { createDemoSystems } from './systems.ts'
import { welcomeText } from './welcome.ts'

type Flags = { 'emulator.listenAddress': string } & WebFlags & AdminFlags & EmulatorFlags & LogFlags

const SYSTEMS_HELP = `
Without --profile, two storage systems with the same pools, nodes and figures:
  classic  version 3.5, with performance figures in the nodes feed
  modern   version 4.3, with performance figures in the query interface

With --profile, one system with the name demo. All other flags apply to each
system.
`

const SHORT_HELP = `
Emulates two storage systems: classic (version 3.5) and modern (4.3).

Try:
  sds-exporter demo --scenario=node-down
  sds-exporter demo --fault=status:503@nodes`

export function demoCommand(): Command {
  const command = new Command('demo').description(
    'run the exporter with emulated storage systems; needs no configuration',
  )
  addEmulatorFlags(command, 'two systems')
  addWebFlags(command)
  addAdminFlags(command).option(
    '--emulator.listen-address <address>',
    'listen address of the emulated system, of which the second has the next port; port 0 selects free ports',
    parseAddress,
    '127.0.0.1:0',
  )
  return addHelp(addLogFlags(command), SHORT_HELP, SYSTEMS_HELP).action((flags: Flags, command: Command) =>
    demo(flags, command.getOptionValueSource('admin.listenAddress') === 'default'),
  )
}

/** @param mayUseOtherPort whether the administration may take another port if its default is in use */
async function demo(flags: Flags, mayUseOtherPort: boolean): Promise<void> {
  const log = logFrom(flags)
  const external = externalAddress(process.env)
  const { admin, ...options } = exporterOptions(flags)
  const systems = createDemoSystems({
    ...emulatorOptions(flags),
    listenAddress: flags['emulator.listenAddress'],
  })
  try {
    await systems.start()
    const exporter = createExporter({
      load: () => parseConfig(systems.config(), { file: 'the demo configuration', environment: {} }),
      log,
      ...options,
      admin: admin && { ...admin, mayUseOtherPort },
    })
    // Without reload(): SIGHUP, which a closed terminal sends, stops the demo.
    const { start, stop } = exporter
    await runUntilSignalled({ start, stop }, log, () =>
      process.stdout.write(
        welcomeText({
          systems: systems.describe(external === undefined),
          scenario: flags.scenario,
          page: reachableUrl(exporter.url, flags['web.listenAddress'][0], external),
          // Its port is another one than that of the external address.
          adminUrl: external === undefined ? exporter.adminUrl : undefined,
          metricsPath: flags['web.telemetryPath'],
        }),
      ),
    )
  } finally {
    await systems.stop()
  }
}
