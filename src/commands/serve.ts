import { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { createExporter } from '../exporter/exporter.ts'
import {
  type AdminFlags,
  addAdminFlags,
  addLogFlags,
  addWebFlags,
  exporterOptions,
  type LogFlags,
  logFrom,
  type WebFlags,
} from './cli/flags.ts'
import { runUntilSignalled } from './cli/lifetime.ts'

type Flags = { 'config.file': string } & WebFlags & AdminFlags & LogFlags

const EXAMPLE = `
A minimal configuration file:

  systems:
    - name: frankfurt
      base_url: https://ecs1.example.net:4443
      auth: {username: monitor, password_file: /run/secrets/password}

Signals: SIGTERM, SIGINT and other terminating signals stop the exporter gracefully, SIGHUP reloads the configuration,
SIGUSR1 is ignored.`

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('poll the configured systems and serve /metrics')
    .requiredOption('--config.file <file>', 'configuration file (YAML)')
  return addLogFlags(addAdminFlags(addWebFlags(command)))
    .addHelpText('after', EXAMPLE)
    .action(serve)
}

async function serve(flags: Flags): Promise<void> {
  const log = logFrom(flags)
  const exporter = createExporter({
    load: () => loadConfig(flags['config.file'], process.env),
    configFile: flags['config.file'],
    log,
    ...exporterOptions(flags),
  })
  await runUntilSignalled(exporter, log)
}
