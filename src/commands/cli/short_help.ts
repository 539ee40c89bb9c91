import { type Command, CommanderError, Help } from 'commander'

interface ShortHelp {
  /** The flags that --help shows, besides --help-all and --help. */
  readonly flags: readonly string[]
  /** Text after the flags. */
  readonly short: string
  /** The same for --help-all, which shows all flags. */
  readonly all: () => string
}

/** A command whose --help fits a screen; --help-all prints everything. */
export function withShortHelp(command: Command, { flags, short, all }: ShortHelp): Command {
  const shown = [...flags, '--help-all', '--help']
  let isAll = false
  return command
    .configureHelp({
      formatHelp(ofCommand, helper) {
        const help: Help = Object.create(helper)
        const visible = helper.visibleOptions(ofCommand)
        help.visibleOptions = () => visible.filter(({ long }) => isAll || shown.includes(long ?? ''))
        return Help.prototype.formatHelp.call(help, ofCommand, help)
      },
    })
    .option('--help-all', 'print all flags, scenarios and faults')
    .addHelpText('after', () => (isAll ? all() : short))
    .on('option:help-all', () => {
      isAll = true
      command.outputHelp()
      // As for --help: the end of the command, not a failure.
      throw new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)')
    })
}
