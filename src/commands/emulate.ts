import { Command } from 'commander'
import { EMULATOR_DEFAULTS, OPTION_HELP } from '../emulator/options.ts'
import { createEmulatedSystem, startEmulatedSystem } from './cli/emulated_system.ts'
import { addEmulatorFlags, type EmulatorFlags, emulatorHelp, emulatorOptions } from './cli/emulator_flags.ts'
import { describeEmulator } from './cli/emulator_text.ts'
import { externalAddress, reachableUrl } from './cli/external_address.ts'
import { addLogFlags, type LogFlags, logFrom } from './cli/flags.ts'
import { runUntilSignalled } from './cli/lifetime.ts'
import { withShortHelp } from './cli/short_help.ts'
import { parseAddress } from './cli/values.ts'

type Flags = { listenAddress: string; tls?: boolean } & EmulatorFlags & LogFlags

const SHORT_FLAGS = ['--listen-address', '--tls', '--scenario', '--profile', '--pools', '--nodes', '--fault']

const EXAMPLES_HELP = `
Try:
  sds-exporter emulate --scenario=node-down
  sds-exporter emulate --fault=status:503@nodes`

export function emulateCommand(): Command {
  const command = new Command('emulate')
    .description('run an emulated storage system, for tests of clients and alerts')
    .option(
      '--listen-address <address>',
      OPTION_HELP.listenAddress,
      parseAddress,
      EMULATOR_DEFAULTS.listenAddress,
    )
    .option('--tls', OPTION_HELP.tls)
  addLogFlags(addEmulatorFlags(command, EMULATOR_DEFAULTS.profile))
  return withShortHelp(command, { flags: SHORT_FLAGS, short: EXAMPLES_HELP, all: emulatorHelp }).action(
    emulate,
  )
}

async function emulate(flags: Flags): Promise<void> {
  const { listenAddress, tls = false } = flags
  const emulator = createEmulatedSystem({ ...emulatorOptions(flags), listenAddress, tls })
  const start = () => startEmulatedSystem(emulator, listenAddress)
  await runUntilSignalled({ start, stop: emulator.stop }, logFrom(flags), () =>
    process.stdout.write(
      describeEmulator(
        reachableUrl(emulator.url, listenAddress, externalAddress(process.env)),
        emulator.pools,
      ),
    ),
  )
}
