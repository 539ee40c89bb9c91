import { Command, CommanderError } from 'commander'
import { suggestion } from '../config/values/suggestions.ts'
import { buildDetails, readVersion } from '../exporter/version.ts'
import { visibleLines } from '../text.ts'
import { ListenError } from '../values/listen_address.ts'
import { EXIT, Failed, failureText } from './cli/exit.ts'
import { withOtherPort } from './cli/flags/other_port.ts'
import { writeError } from './cli/log/journal.ts'
import { terminalWidth, wrappedLines } from './cli/output/width.ts'
import { configureUsage } from './cli/usage.ts'

const DESCRIPTION =
  'Prometheus exporter for storage systems that speak the SDS management API (Dell ECS, ObjectScale).'

const EXAMPLES = `
Try it with emulated storage systems:
  sds-exporter demo
Run it:
  sds-exporter serve --config.file=sds-exporter.yml`

/** All commands, in the order of --help. Each is loaded with its packages only when it is needed. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serveCommand(),
  demo: async () => (await import('./demo/demo.ts')).demoCommand(),
  check: async () => (await import('./check.ts')).checkCommand(),
  doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand(),
  health: async () => (await import('./health/health.ts')).healthCommand(),
  nodes: async () => (await import('./nodes/nodes.ts')).nodesCommand(),
  providers: async () => (await import('./providers/providers.ts')).providersCommand(),
  backfill: async () => (await import('./backfill/backfill.ts')).backfillCommand(),
  dashboards: async () => (await import('./dashboards/dashboards.ts')).dashboardsCommand(),
  rules: async () => (await import('./rules.ts')).rulesCommand(),
  capture: async () => (await import('./capture/capture.ts')).captureCommand(),
  emulate: async () => (await import('./emulate.ts')).emulateCommand(),
  completion: async () => (await import('./completion/completion.ts')).completionCommand(),
  complete: async () => (await import('./completion/completion.ts')).completeCommand(createProgram),
  help: async () => helpCommand(createProgram),
  version: async () => versionCommand(),
}

/** The command line with the commands that `args` may need: the named one, or all for --help and usage errors. */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const program = new Command('sds-exporter')
    .description(DESCRIPTION)
    .version(readVersion(), '--version', 'print the version')
    .addHelpText('after', EXAMPLES)
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
  const named = first !== undefined && Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined
  return named === undefined ? Object.values(COMMANDS) : [named]
}

/**
 * Runs one command line.
 * @returns exit code: 0 success, 1 failure, 2 usage error, 78 invalid configuration of a service
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  // A closed pipe (`sds-exporter … | head`) is not an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  try {
    await (await createProgram(args)).parseAsync(args, { from: 'user' })
    return EXIT.done
  } catch (failure) {
    return reportFailure(failure, args)
  }
}

/**
 * Prints why a command failed.
 * @param args its command line
 * @returns its exit code
 */
export function reportFailure(failure: unknown, args: readonly string[]): number {
  if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.done : EXIT.usage
  const inUse = failure instanceof ListenError ? failure.addressInUse : undefined
  const retyped = inUse === undefined ? undefined : withOtherPort(args, inUse)
  // The command is not wrapped, so that it can be copied.
  const hint = retyped === undefined ? '' : `\nWith another port:\n  ${visibleLines(retyped)}`
  const message = visibleLines(`sds-exporter: ${failureText(failure)}`)
  writeError(`${wrappedLines(message, terminalWidth(process.stderr))}${hint}\n`)
  return failure instanceof Failed ? failure.exitCode : EXIT.failed
}

/** @param program the command line whose help is printed */
function helpCommand(program: () => Promise<Command>): Command {
  return new Command('help')
    .description('print the help of a command')
    .argument('[command...]', 'name of the command, such as serve or providers list')
    .action(async (names: readonly string[]) => {
      commandOf(await program(), names).outputHelp()
    })
}

/** @throws {Failed} usage error, for an unknown name */
function commandOf(program: Command, names: readonly string[]): Command {
  return names.reduce((command, name) => {
    const found = command.commands.find((one) => one.name() === name)
    if (found !== undefined) return found
    const known = command
      .createHelp()
      .visibleCommands(command)
      .map((one) => one.name())
    const meant = suggestion(name, known)
    const rest = meant === undefined ? `commands: ${known.join(', ') || 'none'}` : `did you mean ${meant}?`
    throw new Failed(`unknown command ${name}; ${rest}`, EXIT.usage)
  }, program)
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
