import { type CommandNode, type CommandPath, commandPaths, type Flag } from '../cli/command_tree.ts'

/**
 * A completion script for bash. Bash splits words at `=`, so that the flag of a value is two words before it.
 * @param program its root; all names are words without blanks and quotes
 */
export function bashCompletion(program: CommandNode): string {
  const paths = commandPaths(program)
  return `# bash completion of ${program.name}. Load it with: source <(${program.name} completion bash)
_sds_exporter() {
  local cur=\${COMP_WORDS[COMP_CWORD]} flag=\${COMP_WORDS[COMP_CWORD-1]} path='' values='' index word
  if [[ $cur == '=' ]]; then cur=''
  elif [[ $flag == '=' ]]; then flag=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$path/$word" in
${lines(commandCases(paths), 6)}
    esac
  done
  case "$path $flag" in
${lines(paths.flatMap(valueCases), 4)}
    *)
      case "$path" in
${lines(paths.map(wordCase), 8)}
      esac
      COMPREPLY=($(compgen -W "$values" -- "$cur"))
      [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
      return ;;
  esac
  COMPREPLY=($(compgen -W "$values" -- "$cur"))
}
complete -F _sds_exporter ${program.name}
`
}

function lines(texts: readonly string[], indentation: number): string {
  return texts.map((text) => `${' '.repeat(indentation)}${text}`).join('\n')
}

const keyOf = (path: readonly string[]) => path.map((name) => `/${name}`).join('')

function commandCases(paths: readonly CommandPath[]): string[] {
  const keys = paths.map(({ path }) => keyOf(path)).filter((key) => key !== '')
  return [`${keys.join('|')}) path="$path/$word" ;;`]
}

/** One case for each flag with a value. */
function valueCases({ path, node }: CommandPath): string[] {
  return node.flags.flatMap((flag) => {
    const action = valueAction(flag)
    return action === undefined ? [] : [`'${keyOf(path)} ${flag.long}') ${action} ;;`]
  })
}

function valueAction({ value }: Flag): string | undefined {
  if (value === 'none') return undefined
  if (value === 'file') return 'compopt -o default; COMPREPLY=($(compgen -f -- "$cur")); return'
  if (value === 'folder') return 'compopt -o dirnames; COMPREPLY=($(compgen -d -- "$cur")); return'
  return value === 'text' ? 'return' : `values='${value.join(' ')}'`
}

/** The flags, commands and arguments that can follow a command. */
function wordCase({ path, node }: CommandPath): string {
  const flags = node.flags.map(({ long, value }) => (value === 'none' ? long : `${long}=`))
  const words = [...node.commands.map(({ name }) => name), ...node.argumentChoices, ...flags]
  return `'${keyOf(path)}') values='${words.join(' ')}' ;;`
}
