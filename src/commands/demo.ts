import { Command } from 'commander'
import { parseConfig } from '../config/load.ts'
import { PASSWORD } from '../emulator/http/accounts.ts'
import { createExporter, type Exporter } from '../exporter/exporter.ts'
import { createEmulatedSystem, startEmulatedSystem } from './cli/emulated_system.ts'
import { addEmulatorFlags, type EmulatorFlags, emulatorHelp, emulatorOptions } from './cli/emulator_flags.ts'
import {
  type AdminFlags,
  addAdminFlags,
  addLogFlags,
  addWebFlags,
  exporterOptions,
  type LogFlags,
  logFrom,
  parseAddress,
  type WebFlags,
} from './cli/flags.ts'
import { runUntilSignalled } from './cli/lifetime.ts'
import { describeEmulator } from './emulate.ts'

type Flags = { 'emulator.listenAddress': string } & WebFlags & AdminFlags & EmulatorFlags & LogFlags

export function demoCommand(): Command {
  const command = new Command('demo')
    .description('run the exporter with an emulated storage system; needs no configuration')
    .option(
      '--emulator.listen-address <address>',
      'listen address of the emulated system; port 0 selects a free port',
      parseAddress,
      '127.0.0.1:0',
    )
  return addLogFlags(addAdminFlags(addWebFlags(addEmulatorFlags(command))))
    .addHelpText('after', emulatorHelp)
    .action(demo)
}

async function demo(flags: Flags): Promise<void> {
  const log = logFrom(flags)
  const listenAddress = flags['emulator.listenAddress']
  const emulator = createEmulatedSystem({ ...emulatorOptions(flags), listenAddress })
  await startEmulatedSystem(emulator, listenAddress)
  try {
    const exporter = createExporter({
      load: () => parseConfig(demoConfig(emulator.url), { file: 'the demo configuration', environment: {} }),
      log,
      ...exporterOptions(flags),
    })
    // Without reload(): SIGHUP, which a closed terminal sends, stops the demo.
    const { start, stop } = exporter
    await runUntilSignalled({ start, stop }, log, () =>
      process.stdout.write(`${describeEmulator(emulator.url, emulator.pools)}${urlsText(exporter)}`),
    )
  } finally {
    await emulator.stop()
  }
}

/** Polls every 15 s, so that metrics change while the demo is watched. */
function demoConfig(url: string): string {
  return `
systems:
  - name: demo
    base_url: ${url}
    auth: {username: monitor, password: ${PASSWORD}}
poll: {schedule: "*/15 * * * * *", max_random_delay: 0s}
`
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
