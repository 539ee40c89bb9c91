import {
  type CommandNode,
  commandPaths,
  commandTree,
  type Flag,
} from '../../src/commands/cli/command_tree.ts'
import { createProgram } from '../../src/commands/program.ts'

/** Of the package, too: see `man` in package.json. */
export const MANUAL_PAGE = 'docs/sds-exporter.1'

/** The manual page of the commands that are registered. */
export async function manualPage(): Promise<string> {
  return renderManual(commandTree(await createProgram()))
}

/** A page for `man`, in the macros of man(7). It has no date and no version, so that only changed commands change it. */
export function renderManual(program: CommandNode): string {
  const commands = commandPaths(program).filter(({ path }) => path.length > 0)
  const lines = [
    '.\\" Generated from the registered commands by `npm run generate`: do not edit.',
    `.TH ${escaped(program.name.toUpperCase())} 1 "" "${escaped(program.name)}" "User Commands"`,
    '.SH NAME',
    `${escaped(program.name)} \\- ${escaped(sentence(program.description))}`,
    '.SH SYNOPSIS',
    `.B ${escaped(program.name)}`,
    '.I COMMAND',
    '[flags]',
    '.SH COMMANDS',
    ...commands.flatMap(({ path, node }) => commandLines([program.name, ...path].join(' '), node)),
    '.SH OTHER FLAGS',
    ...program.flags.flatMap(flagLines),
    ...EXIT_STATUS,
    ...SEE_ALSO,
  ]
  return `${lines.join('\n')}\n`
}

const EXIT_STATUS = [
  '.SH EXIT STATUS',
  '.TP',
  '.B 0',
  'The command has done what it was asked for.',
  '.TP',
  '.B 1',
  'It failed; standard error has the reason.',
  '.TP',
  '.B 2',
  'Wrong usage.',
]

const SEE_ALSO = ['.SH SEE ALSO', 'The folder docs of the package.', '.BR prometheus (1)']

function commandLines(name: string, node: CommandNode): string[] {
  // A command that only groups others has no flags but those for help.
  const flags = node.flags.filter(({ long }) => long !== '--help')
  return [
    `.SS ${escaped([name, ...node.arguments.map((one) => one.toUpperCase())].join(' '))}`,
    `${line(sentence(node.description))}.`,
    ...flags.flatMap(flagLines),
  ]
}

function flagLines({ short, long, placeholder, description, value, defaultText }: Flag): string[] {
  const names = [short, long].filter((name) => name !== undefined).map((name) => `\\fB${escaped(name)}\\fR`)
  const argument = placeholder === '' ? '' : ` \\fI${escaped(placeholder.slice(1, -1))}\\fR`
  const choices = Array.isArray(value) ? `One of: ${value.join(', ')}.` : ''
  const byDefault = defaultText === undefined ? '' : `Default: ${defaultText}.`
  const text = [`${sentence(description)}.`, choices, byDefault].filter((part) => part !== '').join(' ')
  return ['.TP', `${names.join(', ')}${argument}`, line(text)]
}

/** Without white space at the ends, line breaks and a full stop. */
function sentence(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '')
}

/** Text with no meaning for the macros. `-` would become a hyphen, which cannot be searched for or copied. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq')
}

/** A line of text. A dot or an apostrophe at its beginning would be a request. */
function line(text: string): string {
  const safe = escaped(text)
  return /^[.']/.test(safe) ? `\\&${safe}` : safe
}
