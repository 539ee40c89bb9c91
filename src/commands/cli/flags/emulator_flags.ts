import { type Command, InvalidArgumentError } from 'commander'
import { suggestion } from '../../../config/values/unknown_keys.ts'
import type { Emulator } from '../../../emulator/emulator.ts'
import { FAULT_NAMES, faultHelp, parseFault, TARGET_HELP } from '../../../emulator/faults/table.ts'
import { OPERATION_HELP } from '../../../emulator/http/routes.ts'
import { SCENARIOS } from '../../../emulator/model/scenarios.ts'
import { type CountOption, EMULATOR_DEFAULTS, type EmulatorOptions } from '../../../emulator/options.ts'
import { PROFILES } from '../../../emulator/protocol/profiles.ts'
import { errorText } from '../../../values/errors.ts'
import { explainListenError } from '../../../values/listen_address.ts'
import { CommandError, EXIT } from '../exit.ts'
import { itemList, paragraph } from '../output/width.ts'
import { type FlagsOf, type FlagTable, parseCount } from './table.ts'

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

export const choices = <Name extends string>(table: Readonly<Record<Name, unknown>>) =>
  Object.keys(table) as Name[]
const count = <Option extends CountOption>(option: Option, description: string) => {
  return { description, parse: parseCount, default: EMULATOR_DEFAULTS[option] }
}

/** What describes an emulated system. */
export const SYSTEM_FLAGS = {
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

/** Has an effect on a recording, too. */
const FAULT_FLAG = {
  '--fault <fault>': {
    description: 'fault to inject, as NAME[:ARG][@TARGET]; may be repeated',
    parse: collectFault,
  },
} as const satisfies FlagTable

export const EMULATOR_FLAGS = { ...SYSTEM_FLAGS, ...FAULT_FLAG } as const satisfies FlagTable
export type EmulatorFlags = FlagsOf<typeof EMULATOR_FLAGS>

export function emulatorOptions(flags: EmulatorFlags): EmulatorOptions {
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
