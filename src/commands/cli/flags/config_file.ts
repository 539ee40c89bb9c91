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

type Environment = Readonly<Record<string, string | undefined>>

/** The file that the environment names; undefined if the variable is unset or empty. */
export function namedConfigFile(environment: Environment): string | undefined {
  return environment[VARIABLE] || undefined
}

/** The file that is read without the flag; undefined if there is none. */
export function usualConfigFile(environment: Environment): string | undefined {
  return namedConfigFile(environment) ?? PLACES.find((path) => existsSync(path))
}

/** Adds the flag to a command, which fails without a file in any of the places. */
export function addConfigFile(command: Command, description?: string): Command {
  return addConfigFlag(command, description).hook('preAction', () => {
    const file: unknown = command.getOptionValue(KEY)
    command.setOptionValue(KEY, file ?? configFileOf(command))
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

export function addConfigFlag(command: Command, description = 'configuration file (YAML)'): Command {
  return command.option(`${FLAG} <file>`, `${description} (default: $${VARIABLE}, ${PLACES_TEXT})`)
}

/** The file that a command reads without the flag. @throws {CommanderError} if there is none */
export function configFileOf(command: Command): string {
  return (
    usualConfigFile(process.env) ??
    command.error(`error: no configuration file: set ${FLAG} or ${VARIABLE}, or create ${PLACES_TEXT}`)
  )
}
