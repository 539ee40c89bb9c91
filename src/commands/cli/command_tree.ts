import type { Command, Option } from 'commander'

/** Value of a flag: nothing, a path, one of several words, or other text. */
type FlagValue = 'none' | 'file' | 'folder' | 'text' | readonly string[]

export type Flag = ReturnType<typeof flagOf>

/** A command with what its help shows, for shells and manuals. */
export interface CommandNode {
  readonly name: string
  readonly description: string
  readonly flags: readonly Flag[]
  /** `<id>` */
  readonly arguments: readonly string[]
  /** The words that the first argument can be; empty for other text. */
  readonly argumentChoices: readonly string[]
  readonly commands: readonly CommandNode[]
}

export function commandTree(command: Command): CommandNode {
  const help = command.createHelp()
  return {
    name: command.name(),
    description: command.description(),
    flags: help.visibleOptions(command).map(flagOf),
    arguments: command.registeredArguments.map((argument) => help.argumentTerm(argument)),
    argumentChoices: command.registeredArguments[0]?.argChoices ?? [],
    commands: help.visibleCommands(command).map(commandTree),
  }
}

function flagOf(option: Option) {
  const { short, long = '', description, flags, argChoices, defaultValue, defaultValueDescription } = option
  const placeholder = /<[^>]+>/.exec(flags)?.[0] ?? ''
  const isShown = defaultValue !== undefined && defaultValue !== false && defaultValue !== ''
  return {
    /** `-h` or undefined. */
    short,
    /** `--help` */
    long,
    /** `<file>`; empty for a flag without a value. */
    placeholder,
    description,
    value: argChoices ?? VALUES[placeholder] ?? ('text' as const),
    /** The default in words. */
    defaultText: isShown ? (defaultValueDescription ?? String(defaultValue)) : undefined,
  }
}

const VALUES: Readonly<Record<string, FlagValue>> = {
  '': 'none',
  '<file>': 'file',
  '<dir>': 'folder',
  '<folder>': 'folder',
}
