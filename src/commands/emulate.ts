import { Command, InvalidArgumentError } from 'commander'
import { suggestion } from '../config/values/unknown_keys.ts'
import { createEmulator, type Emulator } from '../emulator/emulator.ts'
import { FAULT_NAMES, faultHelp, parseFault, TARGET_HELP } from '../emulator/faults/table.ts'
import { OPERATION_HELP } from '../emulator/http/routes.ts'
import { ACCOUNTS, PASSWORD } from '../emulator/http/sessions.ts'
import { SCENARIOS } from '../emulator/model/scenarios.ts'
import { type CountOption, EMULATOR_DEFAULTS, type EmulatorOptions } from '../emulator/options.ts'
import { PROFILES } from '../emulator/protocol/profiles.ts'
import { createReplay, type Replay } from '../emulator/replay.ts'
import { parseRecording, type Recording } from '../recording/format.ts'
import { errorText } from '../values/errors.ts'
import { readTextFile } from '../values/files.ts'
import { explainListenError } from '../values/listen_address.ts'
import { CommandError, EXIT } from './cli/exit.ts'
import { LOG_FLAGS, logFrom } from './cli/flags/flags.ts'
import { addFlags, type FlagsOf, type FlagTable, parseAddress, parseCount } from './cli/flags/table.ts'
import { runUntilSignalled } from './cli/lifetime.ts'
import { itemList, paragraph } from './cli/output/width.ts'

function collectFault(text: string, before: readonly string[] = []): readonly string[] {
  try {
    parseFault(text)
  } catch (failure) {
    const [name = ''] = text.split(/[:@]/, 1)
    const isKnown = FAULT_NAMES.some((known) => known === name)
    const meant = isKnown ? undefined : suggestion(name, FAULT_NAMES)
    throw new InvalidArgumentError(
      meant === undefined ? errorText(failure) : `There is no fault "${name}". Did you mean ${meant}?`,
    )
  }
  return [...before, text]
}

const choices = <Name extends string>(table: Readonly<Record<Name, unknown>>) => Object.keys(table) as Name[]
const count = <Option extends CountOption>(option: Option, description: string) => {
  return { description, parse: parseCount, default: EMULATOR_DEFAULTS[option] }
}

/** What describes an emulated system. */
const SYSTEM_FLAGS = {
  '--scenario <name>': {
    description: 'state of the storage system',
    choices: choices(SCENARIOS),
    default: EMULATOR_DEFAULTS.scenario,
  },
  '--pools <count>': count('pools', 'number of storage pools'),
  '--nodes <count>': count('nodes', 'number of nodes of each pool'),
  '--sites <count>': count('sites', 'number of sites (VDCs) that replicate with each other, from 1 to 3'),
  '--namespaces <count>': count('namespaces', 'number of namespaces'),
  '--buckets <count>': count(
    'buckets',
    'mean number of buckets of a namespace; the first one has five times as many',
  ),
  '--data-ports':
    'listen at the data address of each node, too, within 127.0.0.0/8 and at the same port (Linux)',
  '--seed <text>': {
    description: 'any text; the same text gives the same pools, nodes and history',
    default: EMULATOR_DEFAULTS.seed,
  },
} as const satisfies FlagTable

export const EMULATOR_FLAGS = {
  ...SYSTEM_FLAGS,
  '--fault <fault>': {
    description: 'fault to inject, as NAME[:ARG][@TARGET]; may be repeated',
    parse: collectFault,
  },
} as const satisfies FlagTable

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

export function emulatorOptions(flags: FlagsOf<typeof EMULATOR_FLAGS>): EmulatorOptions {
  const { fault: faults = [], ...options } = flags
  return { ...options, faults }
}

/** Adds --help-all. @param examples what --help prints after the flags */
export function addHelp(command: Command, examples: string): Command {
  return command
    .option('--help-all', 'print this help with all scenarios, profiles and faults')
    .addHelpText('after', examples)
    .on('option:help-all', () => command.addHelpText('after', emulatorHelp()).help())
}

function emulatorHelp(): string {
  const helpOf = (table: Readonly<Record<string, { readonly help: string }>>) =>
    Object.entries(table).map(([name, { help }]) => [name, help] as const)
  const lists = {
    Scenarios: helpOf(SCENARIOS),
    Profiles: helpOf(PROFILES),
    Faults: faultHelp(),
    'Operations, for the targets of faults': Object.entries(OPERATION_HELP),
  }
  const parts = Object.entries(lists).map(([title, rows]) => `\n${title}:\n${itemList(rows)}\n`)
  return `${parts.join('')}\n${paragraph(TARGET_HELP)}`
}

/** What a function creates from options. @throws {CommandError} usage error, for invalid options */
export function createFromOptions<System>(create: () => System): System {
  try {
    return create()
  } catch (failure) {
    throw failure instanceof RangeError ? new CommandError(failure.message, EXIT.usage) : failure
  }
}

/** @param flag sets the address @throws {ListenError} when the address cannot be bound */
export async function startEmulatedSystem(
  emulator: Pick<Emulator, 'start'>,
  listenAddress: string,
  flag: string,
): Promise<void> {
  try {
    await emulator.start()
  } catch (failure) {
    const isSocketError = failure instanceof Error && 'syscall' in failure
    throw isSocketError ? explainListenError(listenAddress, failure, flag) : failure
  }
}
