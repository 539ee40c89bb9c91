import { Command } from 'commander'
import { createEmulator, type Emulator } from '../emulator/emulator.ts'
import { ACCOUNTS, PASSWORD } from '../emulator/http/sessions.ts'
import { EMULATOR_DEFAULTS, type EmulatorOptions } from '../emulator/options.ts'
import { PROFILES } from '../emulator/protocol/profiles.ts'
import { createReplay, type Replay } from '../emulator/replay.ts'
import { parseRecording, type Recording } from '../recording/format.ts'
import { errorText } from '../values/errors.ts'
import { readTextFile } from '../values/files.ts'
import { CommandError, EXIT } from './cli/exit.ts'
import {
  addHelp,
  choices,
  createFromOptions,
  EMULATOR_FLAGS,
  emulatorOptions,
  SYSTEM_FLAGS,
  startEmulatedSystem,
} from './cli/flags/emulator_flags.ts'
import { LOG_FLAGS, logFrom } from './cli/flags/flags.ts'
import { addFlags, type FlagsOf, type FlagTable, parseAddress } from './cli/flags/table.ts'
import { runUntilSignalled } from './cli/lifetime.ts'

const FLAGS = {
  '--listen-address <address>': {
    description: 'HOST:PORT to listen on; port 0 selects a free port',
    parse: parseAddress,
    default: EMULATOR_DEFAULTS.listenAddress,
  },
  '--tls':
    'listen with TLS, with a self-signed certificate created on start (clients need insecure_skip_verify)',
  '--from <file>': 'serve a recording of capture instead of an emulated system',
  '--profile <name>': {
    description: 'variant of the storage system',
    choices: choices(PROFILES),
    default: EMULATOR_DEFAULTS.profile,
  },
  ...EMULATOR_FLAGS,
  ...LOG_FLAGS,
} as const satisfies FlagTable
type Flags = FlagsOf<typeof FLAGS>
/** Flags without effect on a recording. */
const DESCRIBING = new Set(['--profile <name>', ...Object.keys(SYSTEM_FLAGS)])

const EXAMPLES_HELP = `
Try:
  sds-exporter emulate --scenario=node-down
  sds-exporter emulate --fault=status:503@nodes
  sds-exporter emulate --from=system.jsonl

With --from, the responses are those of a recording, with times moved to now.
Login and roles are those of the emulator. What was not recorded is refused
with 404.`

export function emulateCommand(): Command {
  const command = new Command('emulate').description(
    'run an emulated storage system, for tests of clients and alerts',
  )
  return addHelp(addFlags(command, FLAGS), EXAMPLES_HELP).action(emulate)
}

/** @throws {CommandError} usage error, for flags that have no effect on a recording */
function replayOf(file: string, options: EmulatorOptions, command: Command) {
  const given = command.options.find(
    (option) =>
      DESCRIBING.has(option.flags) && command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (given !== undefined) throw new CommandError(`${given.long} has no effect with --from`, EXIT.usage)
  return createReplay(readRecording(file), options)
}

/** @throws {CommandError} for a file that is not a recording */
function readRecording(file: string): Recording {
  const read = readTextFile(file, 'recording')
  if ('problem' in read) throw new CommandError(`${file} ${read.problem}`)
  try {
    return parseRecording(read.text)
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure
    throw new CommandError(`${file} is not a recording: ${errorText(failure)}`)
  }
}

async function emulate(flags: Flags, command: Command): Promise<void> {
  const { listenAddress, tls = false, from, profile } = flags
  const options = { ...emulatorOptions(flags), profile, listenAddress, tls }
  const emulator = createFromOptions(() =>
    from === undefined ? createEmulator(options) : replayOf(from, options, command),
  )
  const start = () => startEmulatedSystem(emulator, listenAddress, '--listen-address')
  await runUntilSignalled({ start, stop: emulator.stop }, logFrom(flags), () =>
    process.stdout.write(describeEmulator(emulator)),
  )
}

function describeEmulator({ url, pools }: Emulator | Replay): string {
  const users = Object.entries(ACCOUNTS).map(
    ([user, { token, role }]) => `  ${token}   ${role}, or user ${user} with password ${PASSWORD}`,
  )
  return `Emulated storage system: ${url}
Pools:
${pools.map(({ id, name }) => `  ${id}   ${name}`).join('\n')}
Tokens, for the header X-SDS-AUTH-TOKEN:
${users.join('\n')}
`
}
