import { readVersion } from '../exporter/version.ts'
import { parseListenAddress } from '../values/listen_address.ts'
import { checkHealth, DEFAULT_WEB_ADDRESS } from './health/check_health.ts'

/** A flag of `health` in the form that needs no parser. */
const HEALTH_FLAG = /^--(web\.listen-address|web\.config\.file)=(.+)$/s

/**
 * Runs `--version` and `health`, which supervisors run often, without the parser of command lines: loading it takes
 * more than half of the CPU time that the start of Node.js takes.
 * @returns the exit code; undefined for every other command line, and for `health` with flags that are invalid or in
 *   another form
 */
export async function runFrequent(args: readonly string[]): Promise<number | undefined> {
  const command = frequentCommand(args)
  if (command === undefined) return undefined
  // A closed pipe is not an error.
  process.stdout.on('error', () => undefined)
  try {
    process.stdout.write(`${await command()}\n`)
    return 0
  } catch (failure) {
    return (await import('./program.ts')).reportFailure(failure, args)
  }
}

function frequentCommand(args: readonly string[]): (() => string | Promise<string>) | undefined {
  const [name, ...flags] = args
  if (name === '--version' && flags.length === 0) return readVersion
  if (name !== 'health') return undefined
  const values = new Map<string, string>()
  for (const flag of flags) {
    const [, key = '', value = ''] = HEALTH_FLAG.exec(flag) ?? []
    if (key === '') return undefined
    values.set(key, value)
  }
  const address = values.get('web.listen-address') ?? DEFAULT_WEB_ADDRESS
  return isListenAddress(address) ? () => checkHealth(address, values.get('web.config.file')) : undefined
}

function isListenAddress(text: string): boolean {
  try {
    parseListenAddress(text)
    return true
  } catch {
    return false
  }
}
