import { parseArgs } from 'node:util'
import { readVersion } from '../exporter/version.ts'
import { parseListenAddress } from '../values/listen_address.ts'
import { checkHealth, DEFAULT_WEB_ADDRESS } from './health/check_health.ts'

/**
 * Runs `--version` and `health`, which supervisors run often, without the parser of command lines: loading it takes
 * more than half of the CPU time that the start of Node.js takes.
 * @returns the exit code; undefined for every other command line, and for `health` with invalid flags
 */
export async function runFrequent(args: readonly string[]): Promise<number | undefined> {
  const command = frequentCommand(args)
  if (command === undefined) return undefined
  try {
    process.stdout.write(`${await command()}\n`)
    return 0
  } catch (failure) {
    return (await import('./program.ts')).reportFailure(failure)
  }
}

const HEALTH_FLAGS = {
  'web.listen-address': { type: 'string' },
  'web.config.file': { type: 'string' },
} as const

function frequentCommand(args: readonly string[]): (() => string | Promise<string>) | undefined {
  const [name, ...flags] = args
  if (name === '--version' && flags.length === 0) return readVersion
  if (name !== 'health') return undefined
  try {
    const { values } = parseArgs({ args: flags, options: HEALTH_FLAGS })
    const address = values['web.listen-address'] ?? DEFAULT_WEB_ADDRESS
    parseListenAddress(address)
    return () => checkHealth(address, values['web.config.file'])
  } catch {
    // The parser of command lines says what is wrong.
    return undefined
  }
}
