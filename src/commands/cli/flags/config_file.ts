import { existsSync } from 'node:fs'
import type { Command } from 'commander'

export interface ConfigFileFlag {
  readonly 'config.file': string
}

const FLAG = '--config.file'
const KEY = 'config.file'
const VARIABLE = 'SDS_CONFIG_FILE'

/** The paths that are tried without the flag and the variable, in this order. */
const PLACES = ['sds-exporter.yml', '/etc/sds-exporter/sds-exporter.yml'] as const
const PLACES_TEXT = PLACES.join(' or ')

/** The file that the environment names; undefined if the variable is unset or empty. */
export function namedConfigFile(environment: NodeJS.ProcessEnv): string | undefined {
  return environment[VARIABLE] || undefined
}

/** Adds the flag to a command, which fails without a file in any of the places. */
export function addConfigFile(command: Command, description = 'configuration file (YAML)'): Command {
  return command
    .option(`${FLAG} <file>`, `${description} (default: $${VARIABLE}, ${PLACES_TEXT})`)
    .hook('preAction', () => {
      if (command.getOptionValue(KEY) !== undefined) return
      const usual = namedConfigFile(process.env) ?? PLACES.find((path) => existsSync(path))
      const missing = `error: no configuration file: set ${FLAG} or ${VARIABLE}, or create ${PLACES_TEXT}`
      command.setOptionValue(KEY, usual ?? command.error(missing))
    })
}

/** As {@link addConfigFile}; the file may also be an argument. */
export function addConfigArgument(command: Command): Command {
  command.argument('[file]', `configuration file (YAML), instead of ${FLAG}`).hook('preAction', () => {
    const [file] = command.args
    if (file === undefined) return
    if (command.getOptionValue(KEY) !== undefined)
      command.error(`error: '${FLAG}' cannot be used with the argument 'file'`)
    command.setOptionValue(KEY, file)
  })
  return addConfigFile(command)
}
