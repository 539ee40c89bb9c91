import { type CommandNode, commandTree, type Flag } from '../../src/commands/completion.ts'
import { createProgram } from '../../src/commands/program.ts'

/** The path in the package, too: see `man` in package.json. */
export const MANUAL_PAGE = 'docs/sds-exporter.1'

/** The manual page of the commands that are registered. */
export async function manualPage(): Promise<string> {
  return renderManual(commandTree(await createProgram()))
}

/** A command and the names before it, without that of the program. */
interface CommandPath {
  readonly path: readonly string[]
  readonly node: CommandNode
}

/** All commands below a command, and it itself with an empty path. */
function commandPaths(node: CommandNode, path: readonly string[] = []): CommandPath[] {
  const below = node.commands.flatMap((child) => commandPaths(child, [...path, child.name]))
  return [{ path, node }, ...below]
}

/** A page for `man`, in the macros of man(7). It has no date and no version, so that only changed commands change it. */
function renderManual(program: CommandNode): string {
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
    '.SH DESCRIPTION',
    ...DESCRIPTION.flatMap((text) => ['.PP', line(text)]),
    '.SH COMMANDS',
    ...commands.flatMap(({ path, node }) => commandLines([program.name, ...path].join(' '), node)),
    '.SH OTHER FLAGS',
    ...program.flags.flatMap(flagLines),
    ...section('FILES', FILES),
    ...section('ENVIRONMENT', ENVIRONMENT),
    ...section('EXIT STATUS', EXIT_STATUS),
    '.SH EXAMPLES',
    ...EXAMPLES.flatMap(([text, command]) => [
      '.PP',
      line(text),
      '.PP',
      '.nf',
      '.RS',
      line(command),
      '.RE',
      '.fi',
    ]),
    ...SEE_ALSO,
  ]
  return `${lines.join('\n')}\n`
}

/** Terms and their descriptions. */
type Rows = readonly (readonly [term: string, text: string])[]

const DESCRIPTION = [
  'sds-exporter reads the state and the performance metrics of storage systems over their management API, and serves them to Prometheus at /metrics. It polls on a schedule of its own, so that scrapes cost the systems nothing.',
  'The command serve is the exporter. Others check its configuration (check) and everything between it and an alert (doctor), show nodes without a running exporter (nodes), write historical data kept by the systems (backfill), and write rules and dashboards. The command demo needs no configuration and no storage system.',
] as const

const FILES: Rows = [
  [
    'sds-exporter.yml',
    'Configuration in the working directory, unless --config.file or SDS_CONFIG_FILE names another file.',
  ],
  ['/etc/sds-exporter/sds-exporter.yml', 'Configuration, if there is none in the working directory.'],
]

const ENVIRONMENT: Rows = [
  ['SDS_CONFIG_FILE', 'Path of the configuration file, for commands without --config.file.'],
  ['SDS_TOKEN', 'Your own token of the storage system, for providers.'],
  ['SDS_PASSWORD', 'Your own password, for providers with --username.'],
  ['GRAFANA_TOKEN', 'Token of a service account, for dashboards.'],
  ['NO_COLOR', 'Output without colours. With TERM=dumb also without lines that are replaced.'],
  ['Others', 'The configuration file may refer to any other variable.'],
]

const EXIT_STATUS: Rows = [
  ['0', 'The command has done what it was asked for.'],
  ['1', 'It failed; standard error has the reason.'],
  ['2', 'Wrong usage.'],
  ['78', 'serve: the configuration is not valid.'],
]

const EXAMPLES: Rows = [
  ['Try it with emulated storage systems:', 'sds-exporter demo'],
  [
    'Check a configuration, and then the way to the systems:',
    'sds-exporter check sds-exporter.yml && sds-exporter doctor --config.file=sds-exporter.yml',
  ],
  ['Run the exporter:', 'sds-exporter serve --config.file=/etc/sds-exporter/sds-exporter.yml'],
  [
    'Write the past month for Prometheus:',
    'sds-exporter backfill --from=-30d --label=job=sds-exporter --output=history.om',
  ],
  [
    'Write the rules and upload the dashboards:',
    'sds-exporter rules --out=rules && sds-exporter dashboards --grafana.url=https://grafana.example.net',
  ],
]

function section(title: string, rows: Rows): string[] {
  return [`.SH ${title}`, ...rows.flatMap(([term, text]) => ['.TP', `.B ${escaped(term)}`, line(text)])]
}

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
