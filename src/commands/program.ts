import { Command, CommanderError } from 'commander'
import { readVersion } from '../exporter/version.ts'
import { visibleLines } from '../visible_text.ts'
import { checkCommand } from './check.ts'
import { EXIT, Failed } from './cli/exit.ts'
import { dashboardsCommand } from './dashboards/dashboards.ts'
import { demoCommand } from './demo/demo.ts'
import { doctorCommand } from './doctor/doctor.ts'
import { emulateCommand } from './emulate.ts'
import { healthCommand } from './health.ts'
import { nodesCommand } from './nodes/nodes.ts'
import { providersCommand } from './providers/providers.ts'
import { rulesCommand } from './rules.ts'
import { serveCommand } from './serve.ts'

const DESCRIPTION =
  'Prometheus exporter for storage systems that speak the SDS management API (Dell ECS, ObjectScale).'

const EXAMPLES = `
Try it with emulated storage systems:
  sds-exporter demo
Run it:
  sds-exporter serve --config.file=sds-exporter.yml`

/** The command line with all commands. */
export function createProgram(): Command {
  const program = new Command('sds-exporter')
    .description(DESCRIPTION)
    .version(readVersion(), '--version', 'print the version')
    .configureHelp({ sortSubcommands: false, sortOptions: false })
    .addHelpText('after', EXAMPLES)
  const commands = [
    serveCommand(),
    demoCommand(),
    checkCommand(),
    doctorCommand(),
    healthCommand(),
    nodesCommand(),
    providersCommand(),
    dashboardsCommand(),
    rulesCommand(),
    emulateCommand(),
  ]
  for (const command of commands) program.addCommand(configure(command))
  return configure(program)
}

/** Configures help and errors of a command and its subcommands. */
function configure(command: Command): Command {
  for (const subcommand of command.commands) if (subcommand.parent === command) configure(subcommand)
  return command
    .helpOption('--help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .showHelpAfterError('Run it with --help for usage.')
}

/**
 * Runs one command line.
 * @returns exit code: 0 success, 1 failure, 2 usage error
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  // A closed pipe (`sds-exporter … | head`) is not an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return EXIT.done
  } catch (failure) {
    if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.done : EXIT.usage
    const message = failure instanceof Error ? failure.message : String(failure)
    process.stderr.write(`sds-exporter: ${visibleLines(message)}\n`)
    return failure instanceof Failed ? failure.exitCode : EXIT.failed
  }
}
