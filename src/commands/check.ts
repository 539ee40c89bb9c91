import { Command } from 'commander'
import { z } from 'zod'
import type { SystemConfig } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { ConfigError } from '../config/values/problems.ts'
import { type Risk, removedSystems, risksOf } from '../exporter/risks.ts'
import { counted, visibleLines, visibleText } from '../text.ts'
import { MS_PER_SECOND, timeText } from '../time_units.ts'
import { nextTimes } from '../values/schedule.ts'
import { CommandError } from './cli/exit.ts'
import { addConfigArgument, type ConfigFileFlag } from './cli/flags/config_file.ts'
import { parseRootUrl } from './cli/flags/table.ts'
import { terminalWidth, wrappedLines } from './cli/output/width.ts'
import { requestJson } from './cli/request_json.ts'

const TIMEOUT_MS = 10_000

const HELP = `
Problems and warnings are written to stderr. With --json, an object is written
to stdout:
  file      the path
  valid     whether there are no problems
  systems   the names of the systems; empty if the file is not valid
  polls     schedule of polls, its next three times (UTC) and the names of its
            systems, for each schedule
  problems  path (such as systems[0].auth.token_file), line, column (null if
            unknown) and message of each problem
  warnings  system (null for the file), text and remedy of each setting that is
            valid, but insecure or without effect

Exit codes: 0 valid, perhaps with warnings; 1 not valid; 2 usage error.`

export function checkCommand(): Command {
  return addConfigArgument(
    new Command('check').description('check a configuration file and print all problems'),
  )
    .option('--exporter.url <url>', 'address of a running exporter: warn of systems that a reload removes')
    .option('--json', 'print the result as a JSON object')
    .addHelpText('after', HELP)
    .action((_file: string | undefined, flags: Flags) => check(flags))
}

interface Flags extends ConfigFileFlag {
  readonly 'exporter.url'?: string
  readonly json?: true
}

async function check({ 'config.file': file, 'exporter.url': url, json }: Flags): Promise<void> {
  let systems: readonly SystemConfig[] = []
  let problems: ConfigError['problems'] = []
  let risks: readonly Risk[] = []
  try {
    const config = loadConfig(file, process.env)
    systems = config.systems
    const removed = url === undefined ? [] : removedSystems(await runningSystems(url), namesOf(systems))
    risks = [...risksOf(config, file), ...removed]
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    if (json !== true) throw new CommandError(failure.message)
    problems = failure.problems
  }
  if (json === true) writeJson(file, systems, problems, risks)
  else writeText(file, systems, risks)
  if (problems.length > 0) throw new CommandError(`${file}: ${counted(problems.length, 'problem')}`)
}

const namesOf = (systems: readonly SystemConfig[]) => systems.map(({ name }) => name)

const TARGETS = z.array(z.object({ labels: z.object({ instance: z.string() }) }))

/** The systems of a running exporter, from its service discovery. @throws {CommandError} if they cannot be read */
async function runningSystems(url: string): Promise<string[]> {
  const discovery = `${parseRootUrl('--exporter.url', url)}/sd`
  const failed = (reason: string) => new CommandError(`${discovery} cannot be read: ${reason}`)
  const { status, body } = await requestJson(discovery, { timeoutMs: TIMEOUT_MS, noResponse: failed })
  if (status !== 200) throw failed(`HTTP ${status}`)
  const { data: targets } = TARGETS.safeParse(body)
  if (targets === undefined) throw failed('it is not a list of targets')
  return targets.map(({ labels }) => labels.instance)
}

/** The next times of polls. Systems without a schedule are left out. */
function pollsOf(systems: readonly SystemConfig[]) {
  const bySchedule = Map.groupBy(systems, ({ poll }) => poll.schedule)
  bySchedule.delete('')
  return [...bySchedule].map(([schedule, list]) => ({
    schedule,
    next: nextTimes(schedule, 3).map((ms) => timeText(ms / MS_PER_SECOND)),
    systems: list.map(({ name }) => name),
  }))
}

function writeText(file: string, systems: readonly SystemConfig[], risks: readonly Risk[]): void {
  const names = namesOf(systems)
  const lines = [
    `${file}: valid (${counted(names.length, 'system')}: ${names.join(', ')})`,
    ...pollsOf(systems).map(({ schedule, next }) => `next polls by "${schedule}" (UTC): ${next.join(', ')}`),
  ]
  for (const line of lines)
    process.stdout.write(`${wrappedLines(visibleText(line), terminalWidth(process.stdout))}\n`)
  for (const { system, text, remedy } of risks) {
    const place = system === undefined ? '' : `system ${system}: `
    const warning = visibleText(`warning: ${place}${text}; ${remedy}`)
    process.stderr.write(`${wrappedLines(warning, terminalWidth(process.stderr))}\n`)
  }
}

function writeJson(
  file: string,
  systems: readonly SystemConfig[],
  problems: ConfigError['problems'],
  risks: readonly Risk[],
): void {
  const result = {
    file,
    valid: problems.length === 0,
    systems: namesOf(systems),
    polls: pollsOf(systems),
    problems: problems.map(({ path, line = null, column = null, message }) => ({
      path,
      line,
      column,
      message,
    })),
    warnings: risks.map(({ system = null, text, remedy }) => ({ system, text, remedy })),
  }
  process.stdout.write(`${visibleLines(JSON.stringify(result, undefined, 2))}\n`)
}
