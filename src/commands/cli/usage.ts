import { type Command, CommanderError, Option } from 'commander'
import { suggestion } from '../../config/values/suggestions.ts'
import { writeError } from './log/journal.ts'

/**
 * Commander wraps descriptions with at least this width. Its default of 40 is more than long flags leave of 80 columns.
 */
const MIN_DESCRIPTION_WIDTH = 30
const HELP_ALL = '--help-all'

export function configureUsage(command: Command): Command {
  for (const subcommand of command.commands) configureUsage(subcommand)
  addHelpAll(command)
  requireLate(command)
  return command
    .configureHelp({ minWidthToWrap: MIN_DESCRIPTION_WIDTH })
    .configureOutput({
      writeErr: writeError,
      outputError: (text, write) => write(withSuggestion(command, text)),
    })
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError(false)
    .showHelpAfterError('Run it with --help for usage.')
}

/** Prints the help of a command and of all commands below it. Commands may have a --help-all of their own. */
function addHelpAll(command: Command): void {
  if (command.options.some(({ long }) => long === HELP_ALL)) return
  const option = new Option(HELP_ALL, 'print the help of all commands')
  // Most commands have no subcommands, for which it prints the same as --help.
  command.addOption(option.hideHelp(command.parent !== null)).on('option:help-all', () => {
    outputHelpOfAll(command)
    throw new CommanderError(0, 'commander.help', '')
  })
}

function outputHelpOfAll(command: Command): void {
  command.outputHelp()
  for (const subcommand of command.createHelp().visibleCommands(command)) {
    process.stdout.write('\n')
    outputHelpOfAll(subcommand)
  }
}

/** Flags that are required are checked after the others: Commander checks them before unknown ones. */
function requireLate(command: Command): void {
  const required = command.options.filter(({ mandatory }) => mandatory)
  for (const option of required) option.makeOptionMandatory(false)
  command.hook('preAction', () => {
    const missing = required.find((option) => command.getOptionValue(option.attributeName()) === undefined)
    if (missing !== undefined) command.error(`error: required option '${missing.flags}' not specified`)
  })
}

/** Commander compares flags with the whole word, such as `--config.fle=sds.yml`. */
function withSuggestion(command: Command, text: string): string {
  const [, kind, word = ''] = /^error: unknown (option|command) '([^'=]*)/.exec(text) ?? []
  if (kind === undefined) return text
  const help = command.createHelp()
  const names =
    kind === 'command'
      ? help.visibleCommands(command).map((one) => one.name())
      : help.visibleOptions(command).flatMap(({ long }) => long ?? [])
  const meant = suggestion(word, names)
  return meant === undefined ? text : `${text.trimEnd()}\n(Did you mean ${meant}?)\n`
}
