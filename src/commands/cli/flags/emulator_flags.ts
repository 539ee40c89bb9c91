import { type Command, InvalidArgumentError } from 'commander'
import { suggestion } from '../../../config/values/suggestions.ts'
import { faultHelp, parseFault, TARGET_HELP } from '../../../emulator/faults/parse.ts'
import { FAULT_NAMES } from '../../../emulator/faults/table.ts'
import { SCENARIOS } from '../../../emulator/model/scenarios.ts'
import {
  type CountOption,
  EMULATOR_DEFAULTS,
  type EmulatorOptions,
  OPTION_HELP,
} from '../../../emulator/options.ts'
import { OPERATION_HELP, ROLES } from '../../../emulator/protocol/operations.ts'
import { EXPIRED_TOKEN, PROFILES } from '../../../emulator/protocol/profiles.ts'
import { errorText } from '../../../values/errors.ts'
import { itemList, paragraph } from '../output/width.ts'
import { addFlags, type FlagsOf, type FlagTable, parseCount, parseCountOrNone } from './table.ts'

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
const count = <Option extends CountOption>(option: Option, parse = parseCount) => {
  return { description: OPTION_HELP[option], parse, default: EMULATOR_DEFAULTS[option] }
}

/** @param withoutProfile what is emulated without --profile, for --help */
const flagsWith = (withoutProfile: string) =>
  ({
    '--scenario <name>': {
      description: OPTION_HELP.scenario,
      choices: choices(SCENARIOS),
      default: EMULATOR_DEFAULTS.scenario,
    },
    '--profile <name>': {
      description: `${OPTION_HELP.profile} (default: ${withoutProfile})`,
      choices: choices(PROFILES),
    },
    '--pools <count>': count('pools'),
    '--nodes <count>': count('nodes'),
    '--new-nodes <count>': count('newNodes', parseCountOrNone),
    '--new-node-hours <hours>': count('newNodeHours'),
    '--sites <count>': count('sites'),
    '--namespaces <count>': count('namespaces'),
    '--buckets <count>': count('buckets'),
    '--seed <text>': { description: OPTION_HELP.seed, default: EMULATOR_DEFAULTS.seed },
    '--expired-token <status>': { description: OPTION_HELP.expiredToken, choices: choices(EXPIRED_TOKEN) },
    '--delete-role <role>': { description: OPTION_HELP.deleteRole, choices: ROLES },
    '--fault <fault>': { description: OPTION_HELP.faults, parse: collectFault },
  }) as const satisfies FlagTable

export type EmulatorFlags = FlagsOf<ReturnType<typeof flagsWith>>

export const addEmulatorFlags = (command: Command, withoutProfile: string): Command =>
  addFlags(command, flagsWith(withoutProfile))

export function emulatorOptions(flags: EmulatorFlags): EmulatorOptions {
  const { fault: faults = [], ...options } = flags
  return { ...options, faults }
}

/** Adds --help-all. @param examples what --help prints after the flags @param all the same for --help-all */
export function addHelp(command: Command, examples: string, all = ''): Command {
  return command
    .option('--help-all', 'print this help with all scenarios, profiles and faults')
    .addHelpText('after', examples)
    .on('option:help-all', () => command.addHelpText('after', `${all}${emulatorHelp()}`).help())
}

function emulatorHelp(): string {
  const helpOf = (table: Readonly<Record<string, { readonly help: string }>>) =>
    Object.entries(table).map(([name, { help }]) => [name, help] as const)
  const lists = {
    Scenarios: helpOf(SCENARIOS),
    Profiles: helpOf(PROFILES),
    'Answers to an expired token': Object.entries(EXPIRED_TOKEN),
    Faults: faultHelp(),
    'Operations, for the targets of faults': Object.entries(OPERATION_HELP),
  }
  const parts = Object.entries(lists).map(([title, rows]) => `\n${title}:\n${itemList(rows)}\n`)
  return `${parts.join('')}\n${paragraph(TARGET_HELP)}`
}
