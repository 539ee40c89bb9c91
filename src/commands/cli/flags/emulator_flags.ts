import { type Command, InvalidArgumentError, Option } from 'commander'
import { faultHelp, parseFault, TARGET_HELP } from '../../../emulator/faults/table.ts'
import { SCENARIOS, type Scenario } from '../../../emulator/model/scenarios.ts'
import { EMULATOR_DEFAULTS, type EmulatorOptions, OPTION_HELP } from '../../../emulator/options.ts'
import { OPERATIONS } from '../../../emulator/protocol/operations.ts'
import {
  EXPIRED_TOKEN,
  type ExpiredToken,
  PROFILES,
  type Profile,
} from '../../../emulator/protocol/profiles.ts'
import { parseCount } from './values.ts'

/** Flags of commands that run an emulated storage system. */
export interface EmulatorFlags {
  pools: number
  nodes: number
  seed: string
  profile?: Profile
  scenario: Scenario
  expiredToken?: ExpiredToken
  fault?: readonly string[]
}

/** @param withoutProfile what is emulated without --profile, for --help */
export function addEmulatorFlags(command: Command, withoutProfile: string): Command {
  const { pools, nodes, seed, scenario } = EMULATOR_DEFAULTS
  const choice = (flags: string, help: string, choices: object) =>
    new Option(flags, help).choices(Object.keys(choices))
  return command
    .addOption(choice('--scenario <name>', OPTION_HELP.scenario, SCENARIOS).default(scenario))
    .addOption(choice('--profile <name>', `${OPTION_HELP.profile} (default: ${withoutProfile})`, PROFILES))
    .option('--pools <count>', OPTION_HELP.pools, parseCount, pools)
    .option('--nodes <count>', OPTION_HELP.nodes, parseCount, nodes)
    .option('--seed <text>', OPTION_HELP.seed, seed)
    .addOption(choice('--expired-token <status>', OPTION_HELP.expiredToken, EXPIRED_TOKEN))
    .option('--fault <fault>', OPTION_HELP.faults, collectFault)
}

function collectFault(text: string, before: readonly string[] = []): readonly string[] {
  try {
    parseFault(text)
  } catch (failure) {
    throw new InvalidArgumentError(failure instanceof Error ? failure.message : '')
  }
  return [...before, text]
}

/** Options of the emulator from the flags. */
export function emulatorOptions(flags: EmulatorFlags): EmulatorOptions {
  const { pools, nodes, seed, profile, scenario, expiredToken, fault = [] } = flags
  return {
    pools,
    nodes,
    seed,
    scenario,
    faults: fault,
    ...(profile !== undefined && { profile }),
    ...(expiredToken !== undefined && { expiredToken }),
  }
}

/** Tables of scenarios, profiles and faults, for --help. */
export function emulatorHelp(): string {
  const rows = (table: Readonly<Record<string, { readonly help: string }>>) =>
    Object.entries(table).map(([name, { help }]) => [name, help] as const)
  return [
    ...listing('Scenarios', rows(SCENARIOS)),
    ...listing('Profiles', rows(PROFILES)),
    ...listing('Answers to an expired token', Object.entries(EXPIRED_TOKEN)),
    ...listing('Faults', faultHelp()),
    ...listing('Operations, for the targets of faults', Object.entries(OPERATIONS)),
    `\n${TARGET_HELP}`,
  ].join('\n')
}

const MAX_NAME_WIDTH = 28

function listing(title: string, rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(MAX_NAME_WIDTH, Math.max(...rows.map(([name]) => name.length)))
  const line = ([name, help]: readonly [string, string]) =>
    name.length > width ? `  ${name}\n  ${' '.repeat(width)}  ${help}` : `  ${name.padEnd(width)}  ${help}`
  return [`\n${title}:`, ...rows.map(line)]
}
