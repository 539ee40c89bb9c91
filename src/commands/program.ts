import { Command, CommanderError } from 'commander'
import { buildDetails, readVersion } from '../exporter/version.ts'
import { visibleLines } from '../text.ts'
import { errorCode } from '../values/errors.ts'
import { CommandError, EXIT, failureText } from './cli/exit.ts'
import { writeError } from './cli/log/logger.ts'
import { terminalWidth, wrappedLines } from './cli/output/width.ts'

const DESCRIPTION = 'Prometheus exporter for the ECS Management API (Dell ECS, ObjectScale).'

const EXAMPLES = `
Try it with emulated storage systems:
  sds-exporter demo
Run it:
  sds-exporter serve --config.file=sds-exporter.yml`

/** All commands, in the order of --help. Each is loaded with its packages only when it is needed. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  demo: async () => (await import('./demo.ts')).demoCommand(),
  check: async () => (await import('./check.ts')).checkCommand(),
  doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand(),
  health: async () => (await import('./health.ts')).healthCommand(),
  nodes: async () => (await import('./nodes/nodes.ts')).nodesCommand(),
  providers: async () => (await import('./providers/providers.ts')).providersCommand(),
  backfill: async () => (await import('./backfill/backfill.ts')).backfillCommand(),
  dashboards: async () => (await import('./dashboards.ts')).dashboardsCommand(),
  rules: async () => (await import('./rules.ts')).rulesCommand(),
  capture: async () => (await import('./capture.ts')).captureCommand(),
  emulate: async () => (await import('./emulate.ts')).emulateCommand(),
  completion: async () => (await import('./completion.ts')).completionCommand(),
  complete: async () => (await import('./completion.ts')).completeCommand(createProgram),
  version: async () => versionCommand(),
}

/** The command line with the commands that `args` may need: the named one, or all for --help and usage errors. */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command('sds-exporter')
    .description(DESCRIPTION)
    .version(readVersion(), '--version', 'print the version')
    .addHelpText('after', EXAMPLES)
    .helpCommand('help [command]', 'print the help of a command')
    // Flags after a command are its own.
    .enablePositionalOptions()
  for (const load of neededCommands(args)) {
    const command = await load()
    // Completion scripts call it, users do not.
    program.addCommand(command, { hidden: command.name() === 'complete' })
  }
  return configureUsage(program)
}

function neededCommands([first]: readonly string[]): readonly (() => Promise<Command>)[] {
  if (first === '--version') return []
  const named = first !== undefined && Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined
  return named === undefined ? Object.values(COMMANDS) : [named]
}

/** @returns exit code: 0 success, 1 failure, 2 usage error, 78 invalid configuration of a service */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    const program = await createProgram(args)
    await program.parseAsync(args, { from: 'user' })
    return EXIT.done
  } catch (failure) {
    return reportFailure(failure)
  }
}

const CLOSED_PIPE = ['EPIPE', 'ECONNRESET']

/** The exit code when stdout is written: that of a failure if it could not be, as on a full disk. */
export function exitCodeAfterOutput(code: number): number {
  const { errored } = process.stdout
  if (code !== EXIT.done || errored === null || CLOSED_PIPE.includes(errorCode(errored))) return code
  return reportFailure(Object.assign(errored, { path: 'stdout' }))
}

/** Prints why a command failed. @returns its exit code */
function reportFailure(failure: unknown): number {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.done : EXIT.usage
  const message = visibleLines(`sds-exporter: ${failureText(failure)}`)
  writeError(`${wrappedLines(message, terminalWidth(process.stderr))}\n`)
  return failure instanceof CommandError ? failure.exitCode : EXIT.failed
}

function versionCommand(): Command {
  return new Command('version')
    .description('print the version with details of the build')
    .option('--json', 'print a JSON object')
    .action(({ json = false }: { json?: boolean }) => {
      const details = buildDetails()
      process.stdout.write(json ? `${JSON.stringify(details, undefined, 2)}\n` : textOf(details))
    })
}

function textOf({ version, ...details }: ReturnType<typeof buildDetails>): string {
  const rows = Object.entries(details).map(([name, value]) => `  ${name.padEnd(9)}  ${value}\n`)
  return `sds-exporter ${version}\n${rows.join('')}`
}

/** Commander's default of 40 is more than long flags leave of 80 columns. */
const MIN_DESCRIPTION_WIDTH = 30

function configureUsage(command: Command): Command {
  for (const subcommand of command.commands) configureUsage(subcommand).helpCommand(false)
  return command
    .configureHelp({ minWidthToWrap: MIN_DESCRIPTION_WIDTH })
    .configureOutput({ writeErr: writeError })
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .showHelpAfterError('Run it with --help for usage.')
}
