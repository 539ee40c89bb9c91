import { Command } from 'commander'
import { addFlags, type FlagsOf, type FlagTable, parseAddress } from '../cli/flags/table.ts'
import { checkHealth, DEFAULT_WEB_ADDRESS } from './check_health.ts'

const FLAGS = {
  '--web.listen-address <address>': {
    description: '--web.listen-address of the running exporter',
    parse: parseAddress,
    default: DEFAULT_WEB_ADDRESS,
  },
  '--web.config.file <file>': '--web.config.file of the running exporter',
} as const satisfies FlagTable

/** A health check for container images without shell and curl. */
export function healthCommand(): Command {
  const command = new Command('health').description(
    'check that the exporter on this machine is healthy; for health checks of containers',
  )
  return addFlags(command, FLAGS).action(health)
}

async function health(flags: FlagsOf<typeof FLAGS>): Promise<void> {
  process.stdout.write(`${await checkHealth(flags['web.listenAddress'], flags['web.config.file'])}\n`)
}
