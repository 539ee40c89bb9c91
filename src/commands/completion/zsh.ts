import { type CommandNode, type CommandPath, commandPaths, type Flag } from '../cli/command_tree.ts'

/** A completion script for zsh, with one function for each command. */
export function zshCompletion(program: CommandNode): string {
  return `#compdef ${program.name}
# zsh completion of ${program.name}. Load it with: source <(${program.name} completion zsh)
${commandPaths(program).map(functionOf).join('\n')}
compdef ${functionName([])} ${program.name}
`
}

const functionName = (path: readonly string[]) => ['_sds_exporter', ...path].join('_')

function functionOf({ path, node }: CommandPath): string {
  const name = functionName(path)
  const flags = node.flags.map((flag) => `    ${quoted(flagSpec(flag))}`)
  if (node.commands.length === 0) {
    const choices = node.argumentChoices
    const argument = choices.length > 0 ? [`    ${quoted(`1:argument:(${choices.join(' ')})`)}`] : []
    return `${name}() {\n  _arguments \\\n${[...flags, ...argument].join(' \\\n')}\n}`
  }
  const commands = node.commands.map(({ name, description }) => `${name}\\:${quotedWord(description)}`)
  const cases = node.commands.map((child) => `    ${child.name}) ${functionName([...path, child.name])} ;;`)
  return `${name}() {
  local curcontext=$curcontext context state state_descr
  local -a line
  _arguments -C \\
${flags.join(' \\\n')} \\
    ${quoted(`1:command:((${commands.join(' ')}))`)} \\
    '*::argument:->arguments'
  [[ $state == arguments ]] || return
  case $line[1] in
${cases.join('\n')}
  esac
}`
}

/** `--log.level=[minimum severity]:level:(debug info)` */
function flagSpec({ long, description, value, placeholder }: Flag): string {
  const text = `[${description.replaceAll(/[[\]\\]/g, '\\$&').replaceAll(':', '\\:')}]`
  if (value === 'none') return `${long}${text}`
  return `*${long}=${text}:${placeholder.slice(1, -1)}:${actionOf(value)}`
}

function actionOf(value: Exclude<Flag['value'], 'none'>): string {
  if (value === 'file') return '_files'
  if (value === 'folder') return '_files -/'
  return value === 'text' ? ' ' : `(${value.join(' ')})`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A description in a list of matches. */
function quotedWord(text: string): string {
  return `"${text.replaceAll(/["\\$`]/g, '\\$&').replaceAll(':', '\\:')}"`
}
