import { execFile } from 'node:child_process'
import { Command, InvalidArgumentError } from 'commander'
import { loadConfig } from '../config/load.ts'
import { ConfigError } from '../config/values/problems.ts'
import { parseDuration } from '../config/values/units.ts'
import { createExporter } from '../exporter/exporter.ts'
import type { Log } from '../log.ts'
import { createReadings } from '../values/files.ts'
import { CommandError, EXIT } from './cli/exit.ts'
import { addConfigArgument, type ConfigFileFlag } from './cli/flags/config_file.ts'
import { EXPORTER_FLAGS, exporterOptions, logFrom } from './cli/flags/flags.ts'
import { addFlags, type FlagsOf, type FlagTable } from './cli/flags/table.ts'
import { runUntilSignalled } from './cli/lifetime.ts'

const AUTO_RELOAD_INTERVAL = '30s'
/** The longest time of a timer of Node.js is longer. */
const MAX_INTERVAL_MS = 86_400_000

const EXAMPLE = `
A minimal configuration file:

  systems:
    - name: frankfurt
      base_url: https://ecs1.example.net:4443
      auth: {username: monitor, password_file: /run/secrets/password}

Signals: SIGTERM and SIGINT stop the exporter gracefully, SIGHUP reloads the
configuration, SIGUSR1 is ignored.

Exit codes: 0 stopped by a signal; 1 failure; 2 usage error; 78 the
configuration is not valid, or Node.js is too old.`

const FLAGS = {
  '--config.auto-reload':
    'reload the configuration when the file, or a secret or certificate that it names, has changed',
  '--config.auto-reload-interval <duration>': {
    description: 'time between two checks for changes',
    parse: parseInterval,
    default: parseInterval(AUTO_RELOAD_INTERVAL),
    defaultText: AUTO_RELOAD_INTERVAL,
  },
  ...EXPORTER_FLAGS,
} as const satisfies FlagTable
type Flags = ConfigFileFlag & FlagsOf<typeof FLAGS>

export function serveCommand(): Command {
  const command = addConfigArgument(
    new Command('serve').description('poll the configured systems and serve /metrics'),
  )
  return addFlags(command, FLAGS)
    .addHelpText('after', EXAMPLE)
    .action((_file: string | undefined, flags: Flags) => serve(flags))
}

async function serve(flags: Flags): Promise<void> {
  const log = logFrom(flags)
  const { 'config.file': configFile, 'config.autoReloadInterval': intervalMs } = flags
  let readings = createReadings()
  const load = () => {
    readings = createReadings()
    return loadConfig(configFile, process.env, { read: readings.read })
  }
  const exporter = createExporter({
    load,
    configFile,
    ...(flags['config.autoReload'] === true && {
      autoReload: { hasChanged: () => readings.hasChanged(), intervalMs },
    }),
    log,
    ...exporterOptions(flags),
  })
  try {
    await runUntilSignalled(exporter, log, () => notifySystemd(process.env, log))
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    throw new CommandError(failure.message, EXIT.config)
  }
}

/** @returns milliseconds. @throws {InvalidArgumentError} */
function parseInterval(text: string): number {
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0 && ms <= MAX_INTERVAL_MS) return ms
  throw new InvalidArgumentError('Expected a duration from 1ms to 1d, such as 30s.')
}

/** Time for systemd-notify, which waits until systemd has read the message. */
const TIMEOUT_MS = 30_000

/** For `Type=notify`. Node.js has no datagram sockets of Unix, so that systemd-notify sends the message. */
function notifySystemd(environment: Readonly<Record<string, string | undefined>>, log: Log): void {
  if (!environment['NOTIFY_SOCKET']) return
  execFile('systemd-notify', ['--ready'], { timeout: TIMEOUT_MS }, (failure) => {
    if (failure !== null)
      log.warn('systemd is not told that the exporter has started', { reason: failure.message })
  })
}
