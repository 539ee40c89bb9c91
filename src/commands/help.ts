import { Command } from 'commander'
import { EXIT, Failed } from './cli/exit.ts'

/** @param program the command line whose help is printed */
export function helpCommand(program: () => Promise<Command>): Command {
  return new Command('help')
    .description('print the help of a command')
    .argument('[command...]', 'name of the command, such as serve or providers list')
    .action(async (names: readonly string[]) => {
      commandOf(await program(), names).outputHelp()
    })
}

/** @throws {Failed} usage error, for an unknown name */
function commandOf(program: Command, names: readonly string[]): Command {
  return names.reduce((command, name) => {
    const found = command.commands.find((one) => one.name() === name)
    if (found !== undefined) return found
    const known = command.commands.map((one) => one.name()).join(', ')
    throw new Failed(`unknown command ${name}; commands: ${known === '' ? 'none' : known}`, EXIT.usage)
  }, program)
}
