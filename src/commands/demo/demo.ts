import { Command } from 'commander'
import { parseConfig } from '../../config/load.ts'
import { createExporter, type Exporter } from '../../exporter/exporter.ts'
import { addEmulatorFlags, type EmulatorFlags, emulatorHelp, emulatorOptions } from '../cli/emulator_flags.ts'
import {
  type AdminFlags,
  addAdminFlags,
  addLogFlags,
  addWebFlags,
  exporterOptions,
  type LogFlags,
  logFrom,
  type WebFlags,
} from '../cli/flags.ts'
import { runUntilSignalled } from '../cli/lifetime.ts'
import { parseAddress } from '../cli/values.ts'
import { createDemoSystems } from './systems.ts'

type Flags = { 'emulator.listenAddress': string } & WebFlags & AdminFlags & EmulatorFlags & LogFlags

const HELP = `
Without --profile, two storage systems with the same pools, nodes and figures are emulated:
  classic  version 3.5, with performance figures in the nodes feed
  modern   version 4.3, with performance figures in the query interface
With --profile, one system with the name demo. All other flags apply to each system.`

export function demoCommand(): Command {
  const command = new Command('demo')
    .description('run the exporter with emulated storage systems; needs no configuration')
    .option(
      '--emulator.listen-address <address>',
      'listen address of the emulated system, of which the second has the next port; port 0 selects free ports',
      parseAddress,
      '127.0.0.1:0',
    )
  return addLogFlags(
    addAdminFlags(addWebFlags(addEmulatorFlags(command, 'one classic and one modern system'))),
  )
    .addHelpText('after', `${HELP}\n${emulatorHelp()}`)
    .action(demo)
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
      load: () => parseConfig(systems.config(), { file: 'the demo configuration', environment: {} }),
      log,
      ...exporterOptions(flags),
    })
    // Without reload(): SIGHUP, which a closed terminal sends, stops the demo.
    const { start, stop } = exporter
    await runUntilSignalled({ start, stop }, log, () =>
      process.stdout.write(`${systems.describe()}${urlsText(exporter)}`),
    )
  } finally {
    await systems.stop()
  }
}

function urlsText({ url, adminUrl }: Exporter): string {
  const administration =
    adminUrl === undefined
      ? ''
      : `  ${adminUrl}/          provider administration; sign in with the token emulator-security\n`
  return `
Open in a browser:
  ${url}/          landing page of the exporter
  ${url}/metrics   metrics for Prometheus
${administration}
Press Ctrl+C to stop.
`
}
