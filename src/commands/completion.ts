import { Argument, Command, type Option } from 'commander'

/** Scripts that offer what `complete` prints for the words up to the cursor. */
const SCRIPTS = {
  bash: `_sds_exporter() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]}
  [[ $cur == '=' ]] && cur=''
  COMPREPLY=($(sds-exporter complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1))
  case \${COMPREPLY[0]} in
    :file) compopt -o filenames -o default; COMPREPLY=($(compgen -f -- "$cur")) ;;
    :folder) compopt -o filenames -o dirnames; COMPREPLY=($(compgen -d -- "$cur")) ;;
    *=) compopt -o nospace ;;
  esac
}
complete -F _sds_exporter sds-exporter
`,
  zsh: `#compdef sds-exporter
_sds_exporter() {
  local -a offered
  offered=("\${(@f)$(sds-exporter complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $offered[1] in
    '') ;;
    :file) compset -P '*='; _files ;;
    :folder) compset -P '*='; _files -/ ;;
    *)
      offered=("\${(@)offered//:/\\\\:}")
      offered=("\${(@)offered/$'\\t'/:}")
      local -a suffix
      [[ $offered[1] == *=(:*|) ]] && suffix=(-S '')
      _describe sds-exporter offered $suffix ;;
  esac
}
# In a folder of fpath this file is the body of a function with its name, which is called for a completion.
if [[ $funcstack[1] == _sds-exporter ]]; then _sds_exporter; else compdef _sds_exporter sds-exporter; fi
`,
  fish: `function __sds_exporter
  set -l offered (sds-exporter complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  set -l prefix (string match -r '^--[^=]*=' -- (commandline -ct); or echo '')
  switch "$offered[1]"
    case :file
      printf '%s\\n' $prefix(__fish_complete_path (string replace -r '^--[^=]*=' '' -- (commandline -ct)))
    case :folder
      printf '%s\\n' $prefix(__fish_complete_directories (string replace -r '^--[^=]*=' '' -- (commandline -ct)))
    case '*'
      printf '%s\\n' $offered
  end
end
complete -c sds-exporter -f -a '(__sds_exporter)'
`,
} as const

const HELP = `
Load it in the current shell:
  bash  source <(sds-exporter completion bash)
  zsh   source <(sds-exporter completion zsh)
  fish  sds-exporter completion fish | source

Install it for all later shells:
  bash  sds-exporter completion bash > ~/.local/share/bash-completion/completions/sds-exporter
  zsh   sds-exporter completion zsh > "\${fpath[1]}/_sds-exporter"
  fish  sds-exporter completion fish > ~/.config/fish/completions/sds-exporter.fish`

export function completionCommand(): Command {
  return new Command('completion')
    .description('generate shell completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action((shell: keyof typeof SCRIPTS) => void process.stdout.write(SCRIPTS[shell]))
}

/** The command that the scripts call. @param program has the commands that the words may need */
export function completeCommand(program: (words: readonly string[]) => Promise<Command>): Command {
  return new Command('complete')
    .description('print what can stand in place of the last word, one line each, for completion scripts')
    .argument('[words...]', 'the words after the name of the program')
    .action(async (words: readonly string[]) => {
      const isNamed = words.length > 1 && words[0] !== 'help'
      const offered = offer(commandTree(await program(isNamed ? words : [])), words)
      process.stdout.write(offered.map((line) => `${line}\n`).join(''))
    })
}

/** Words and descriptions, or `:file`, `:folder`. @param words the last is incomplete; bash passes `=` as a word */
function offer(program: CommandNode, words: readonly string[]): readonly string[] {
  const given = [...words, ...(words.at(-1) === '=' ? [''] : [])].filter((word) => word !== '=')
  const last = given.pop() ?? ''
  const { node, open } = placeAfter(program, given)
  const [prefix = '', name] = /^(--[^=]*)=/.exec(last) ?? []
  const flag = open ?? node.flags.find(({ long }) => long === name)
  const isArgument = flag === undefined && !last.startsWith('-')
  if (flag?.value === 'file' || flag?.value === 'folder') return [`:${flag.value}`]
  if (isArgument && node.arguments[0] === 'file') return [':file']
  const values = typeof flag?.value === 'string' ? [] : flag?.value
  const choices = flag === undefined ? wordsOf(node) : (values ?? [])
  return choices.map((choice) => `${prefix}${choice}`).filter((choice) => choice.startsWith(last))
}

/** The command that the words name, and the flag whose value is next. */
function placeAfter(program: CommandNode, words: readonly string[]) {
  let node = program
  let open: Flag | undefined
  for (const word of words) {
    const child = open === undefined ? node.commands.find(({ name }) => name === word) : undefined
    const flag = node.flags.find(({ long, value }) => long === word && value !== 'none')
    open = open === undefined ? flag : undefined
    if (child !== undefined) node = child.name === 'help' ? { ...program, flags: child.flags } : child
  }
  return { node, open }
}

function wordsOf({ commands, argumentChoices, flags }: CommandNode): string[] {
  return [
    ...commands.map(({ name, description }) => `${name}\t${description}`),
    ...argumentChoices,
    ...flags.map(({ long, value, description }) => `${long}${value === 'none' ? '' : '='}\t${description}`),
  ]
}

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
