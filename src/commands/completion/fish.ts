import { type CommandNode, type CommandPath, commandPaths, type Flag } from '../cli/command_tree.ts'

/** A completion script for fish. */
export function fishCompletion(program: CommandNode): string {
  const { name } = program
  const lines = commandPaths(program).flatMap((command) => linesOf(name, command))
  return `# fish completion of ${name}. Load it with: ${name} completion fish | source
complete -c ${name} -f
${lines.join('\n')}
`
}

function linesOf(program: string, { path, node }: CommandPath): string[] {
  const start = `complete -c ${program} -n ${quoted(conditionOf(path, node))}`
  const commands = node.commands.map(
    ({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`,
  )
  const choices =
    node.argumentChoices.length > 0 ? [`${start} -a ${quoted(node.argumentChoices.join(' '))}`] : []
  return [...commands, ...choices, ...node.flags.map((flag) => `${start} ${flagOf(flag)}`)]
}

/** Whether the words before the cursor are this command, and none of its subcommands. */
function conditionOf(path: readonly string[], { commands }: CommandNode): string {
  const names = commands.map(({ name }) => name).join(' ')
  if (path.length === 0) return '__fish_use_subcommand'
  const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`)
  return [...seen, ...(names === '' ? [] : [`not __fish_seen_subcommand_from ${names}`])].join('; and ')
}

function flagOf({ short, long, description, value }: Flag): string {
  const names = `${short === undefined ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)}`
  return `${names}${valueFlags(value)} -d ${quoted(description)}`
}

function valueFlags(value: Flag['value']): string {
  if (value === 'none') return ''
  if (value === 'file') return ' -r -F'
  if (value === 'folder') return " -x -a '(__fish_complete_directories)'"
  return value === 'text' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
