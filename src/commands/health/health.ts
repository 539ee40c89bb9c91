import { Command } from 'commander'
import { parseAddress } from '../cli/flags/values.ts'
import { checkHealth, DEFAULT_WEB_ADDRESS } from './check_health.ts'

interface Flags {
  'web.listenAddress': string
  'web.config.file'?: string
}

/** A health check for container images without shell and curl. */
export function healthCommand(): Command {
  return new Command('health')
    .description('check that the exporter on this machine is healthy; for health checks of containers')
    .option(
      '--web.listen-address <address>',
      '--web.listen-address of the running exporter',
      parseAddress,
      DEFAULT_WEB_ADDRESS,
    )
    .option('--web.config.file <file>', '--web.config.file of the running exporter')
    .action(health)
}

async function health(flags: Flags): Promise<void> {
  process.stdout.write(`${await checkHealth(flags['web.listenAddress'], flags['web.config.file'])}\n`)
}
