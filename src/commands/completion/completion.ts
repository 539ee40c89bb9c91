import { Argument, Command } from 'commander'
import { type CommandNode, commandTree } from '../cli/command_tree.ts'
import { bashCompletion } from './bash.ts'
import { fishCompletion } from './fish.ts'
import { zshCompletion } from './zsh.ts'

const SHELLS: Readonly<Record<string, (program: CommandNode) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

const HELP = `
Load it in the current shell:
  bash  source <(sds-exporter completion bash)
  zsh   source <(sds-exporter completion zsh)
  fish  sds-exporter completion fish | source

Install it for all later shells:
  bash  sds-exporter completion bash > ~/.local/share/bash-completion/completions/sds-exporter
  zsh   sds-exporter completion zsh > "\${fpath[1]}/_sds-exporter"
  fish  sds-exporter completion fish > ~/.config/fish/completions/sds-exporter.fish`

/** @param program the command line whose commands and flags are completed */
export function completionCommand(program: () => Promise<Command>): Command {
  return new Command('completion')
    .description('print a script that completes commands and flags in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action(async (shell: string) => {
      process.stdout.write(SHELLS[shell]?.(commandTree(await program())) ?? '')
    })
}
