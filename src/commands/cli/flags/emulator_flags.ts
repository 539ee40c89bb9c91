import { type Command, InvalidArgumentError, Option } from 'commander'
import { suggestion } from '../../../config/values/suggestions.ts'
import { FAULT_NAMES, faultHelp, parseFault, TARGET_HELP } from '../../../emulator/faults/table.ts'
import { SCENARIOS, type Scenario } from '../../../emulator/model/scenarios.ts'
import { EMULATOR_DEFAULTS, type EmulatorOptions, OPTION_HELP } from '../../../emulator/options.ts'
import { OPERATION_HELP } from '../../../emulator/protocol/operations.ts'
import {
  EXPIRED_TOKEN,
  type ExpiredToken,
  PROFILES,
  type Profile,
} from '../../../emulator/protocol/profiles.ts'
import { errorText } from '../../../values/errors.ts'
import { itemList, paragraph } from '../output/width.ts'
import { parseCount, parseCountOrNone } from './values.ts'

/** Flags of commands that run an emulated storage system. */
export interface EmulatorFlags {
  pools: number
  nodes: number
  newNodes: number
  newNodeHours: number
  sites: number
  namespaces: number
  buckets: number
  seed: string
  profile?: Profile
  scenario: Scenario
  expiredToken?: ExpiredToken
  fault?: readonly string[]
}

/** @param withoutProfile what is emulated without --profile, for --help */
export function addEmulatorFlags(command: Command, withoutProfile: string): Command {
  const { pools, nodes, newNodes, newNodeHours, sites, namespaces, buckets, seed, scenario } =
    EMULATOR_DEFAULTS
  const choice = (flags: string, help: string, choices: object) =>
    new Option(flags, help).choices(Object.keys(choices))
  return command
    .addOption(choice('--scenario <name>', OPTION_HELP.scenario, SCENARIOS).default(scenario))
    .addOption(choice('--profile <name>', `${OPTION_HELP.profile} (default: ${withoutProfile})`, PROFILES))
    .option('--pools <count>', OPTION_HELP.pools, parseCount, pools)
    .option('--nodes <count>', OPTION_HELP.nodes, parseCount, nodes)
    .option('--new-nodes <count>', OPTION_HELP.newNodes, parseCountOrNone, newNodes)
    .option('--new-node-hours <hours>', OPTION_HELP.newNodeHours, parseCount, newNodeHours)
    .option('--sites <count>', OPTION_HELP.sites, parseCount, sites)
    .option('--namespaces <count>', OPTION_HELP.namespaces, parseCount, namespaces)
    .option('--buckets <count>', OPTION_HELP.buckets, parseCount, buckets)
    .option('--seed <text>', OPTION_HELP.seed, seed)
    .addOption(choice('--expired-token <status>', OPTION_HELP.expiredToken, EXPIRED_TOKEN))
    .option('--fault <fault>', OPTION_HELP.faults, collectFault)
}

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

/** Options of the emulator from the flags. */
export function emulatorOptions(flags: EmulatorFlags): EmulatorOptions {
  const { fault: faults = [], ...options } = flags
  return { ...options, faults }
}

/**
 * Adds --help-all.
 * @param examples what --help prints after the flags
 * @param all the same for --help-all, before the tables of scenarios, profiles and faults
 */
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
