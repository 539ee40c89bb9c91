import { type Command, InvalidArgumentError, Option } from 'commander'
import { FAULTS, parseFault } from '../emulator/faults/table.ts'
import { EMULATOR_DEFAULTS, type EmulatorOptions } from '../emulator/options.ts'
import { PROFILES, type Profile } from '../emulator/profiles.ts'
import { SCENARIOS, type Scenario } from '../emulator/world/scenarios.ts'
import { parseCount } from './flags.ts'

/** Flags of every command that runs an emulated storage system. */
export interface EmulatorFlags {
  pools: number
  nodes: number
  seed: string
  profile: Profile
  scenario: Scenario
  fault: readonly string[]
}

export function addEmulatorFlags(command: Command): Command {
  const { pools, nodes, seed, profile, scenario } = EMULATOR_DEFAULTS
  return command
    .addOption(
      new Option('--scenario <name>', 'what happens in it').choices(Object.keys(SCENARIOS)).default(scenario),
    )
    .addOption(
      new Option('--profile <name>', 'the dialect it speaks').choices(Object.keys(PROFILES)).default(profile),
    )
    .option('--pools <count>', 'storage pools', parseCount, pools)
    .option('--nodes <count>', 'nodes in each pool', parseCount, nodes)
    .option('--seed <text>', 'the same text makes the same system with the same past', seed)
    .option('--fault <fault>', 'a fault to play: NAME[:ARG][@TARGET]; may be repeated', collectFault, [])
}

function collectFault(text: string, before: readonly string[]): readonly string[] {
  try {
    parseFault(text)
  } catch (failure) {
    throw new InvalidArgumentError(failure instanceof Error ? failure.message : '')
  }
  return [...before, text]
}

/** What the flags say, as the emulator takes it. */
export function emulatorOptions(flags: EmulatorFlags): EmulatorOptions {
  const { pools, nodes, seed, profile, scenario, fault } = flags
  return { pools, nodes, seed, profile, scenario, faults: fault }
}

/** The tables of scenarios, profiles and faults, for --help. */
export function emulatorHelp(): string {
  const table = (title: string, rows: Readonly<Record<string, { readonly help: string }>>) => {
    const width = Math.max(...Object.keys(rows).map((name) => name.length))
    return [
      `\n${title}:`,
      ...Object.entries(rows).map(([name, { help }]) => `  ${name.padEnd(width)}  ${help}`),
    ]
  }
  return [...table('Scenarios', SCENARIOS), ...table('Profiles', PROFILES), ...table('Faults', FAULTS)].join(
    '\n',
  )
}
