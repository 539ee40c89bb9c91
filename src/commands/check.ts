import { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { ConfigError } from '../config/values/problems.ts'
import { counted } from '../counted.ts'
import { Failed } from './cli/exit.ts'

export function checkCommand(): Command {
  return new Command('check')
    .description('check a configuration file and print all problems')
    .requiredOption('--config.file <file>', 'configuration file (YAML)')
    .action((flags: { 'config.file': string }) => check(flags['config.file']))
}

function check(file: string): void {
  try {
    const { systems } = loadConfig(file, process.env)
    const names = systems.map(({ name }) => name).join(', ')
    process.stdout.write(`${file}: valid (${counted(systems.length, 'system')}: ${names})\n`)
  } catch (failure) {
    if (failure instanceof ConfigError) throw new Failed(failure.message)
    throw failure
  }
}
