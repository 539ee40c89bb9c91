import type { SystemConfig } from '../../config/config.ts'
import { EXIT, Failed } from './exit.ts'

/** The system that a flag names, or the only one. @throws {Failed} with the names that there are */
export function chooseSystem(systems: readonly SystemConfig[], name: string | undefined): SystemConfig {
  const names = systems.map((system) => system.name).join(', ')
  const [only, second] = systems
  if (name === undefined && second !== undefined) {
    throw new Failed(`there are several systems: choose one with --system (${names})`, EXIT.usage)
  }
  const chosen = name === undefined ? only : systems.find((system) => system.name === name)
  if (chosen !== undefined) return chosen
  throw new Failed(`there is no system ${name} in the configuration file, only ${names}`, EXIT.usage)
}
