import { Command } from 'commander'
import { EMULATOR_DEFAULTS, OPTION_HELP } from '../emulator/options.ts'
import { createEmulatedSystem, startEmulatedSystem } from './cli/emulated_system.ts'
import { addEmulatorFlags, type EmulatorFlags, emulatorHelp, emulatorOptions } from './cli/emulator_flags.ts'
import { describeEmulator } from './cli/emulator_text.ts'
import { addLogFlags, type LogFlags, logFrom } from './cli/flags.ts'
import { runUntilSignalled } from './cli/lifetime.ts'
import { parseAddress } from './cli/values.ts'

type Flags = { listenAddress: string; tls?: boolean } & EmulatorFlags & LogFlags

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
  return addLogFlags(addEmulatorFlags(command, EMULATOR_DEFAULTS.profile))
    .addHelpText('after', emulatorHelp)
    .action(emulate)
}

async function emulate(flags: Flags): Promise<void> {
  const { listenAddress, tls = false } = flags
  const emulator = createEmulatedSystem({ ...emulatorOptions(flags), listenAddress, tls })
  const start = () => startEmulatedSystem(emulator, listenAddress)
  await runUntilSignalled({ start, stop: emulator.stop }, logFrom(flags), () =>
    process.stdout.write(describeEmulator(emulator.url, emulator.pools)),
  )
}
