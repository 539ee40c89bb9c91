import { Command } from 'commander'
import { z } from 'zod'
import type { Config, SystemConfig } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { ConfigError } from '../config/values/problems.ts'
import { removedSystems, risksOf } from '../exporter/risks.ts'
import { counted, visibleText } from '../text.ts'
import { MS_PER_SECOND, timeText } from '../time_units.ts'
import { nextTimes } from '../values/schedule.ts'
import { CommandError } from './cli/exit.ts'
import { addConfigArgument, type ConfigFileFlag } from './cli/flags/config_file.ts'
import { parseRootUrl } from './cli/flags/table.ts'
import { terminalWidth, wrappedLines } from './cli/output/width.ts'
import { requestJson } from './cli/request_json.ts'

const TIMEOUT_MS = 10_000

const HELP = `
Problems and warnings are written to stderr.

Exit codes: 0 valid, perhaps with warnings; 1 not valid; 2 usage error.`

export function checkCommand(): Command {
  return addConfigArgument(
    new Command('check').description('check a configuration file and print all problems'),
  )
    .option('--exporter.url <url>', 'address of a running exporter: warn of systems that a reload removes')
    .addHelpText('after', HELP)
    .action((_file: string | undefined, flags: Flags) => check(flags))
}

interface Flags extends ConfigFileFlag {
  readonly 'exporter.url'?: string
}

async function check({ 'config.file': file, 'exporter.url': url }: Flags): Promise<void> {
  const config = load(file)
  const names = config.systems.map(({ name }) => name)
  const removed = url === undefined ? [] : removedSystems(await runningSystems(url), names)
  writeLine(process.stdout, `${file}: valid (${counted(names.length, 'system')}: ${names.join(', ')})`)
  for (const line of pollLines(config.systems)) writeLine(process.stdout, line)
  for (const { system, text, remedy } of [...risksOf(config, file), ...removed]) {
    const place = system === undefined ? '' : `system ${system}: `
    writeLine(process.stderr, `warning: ${place}${text}; ${remedy}`)
  }
}

/** @throws {CommandError} with all problems of an invalid file */
function load(file: string): Config {
  try {
    return loadConfig(file, process.env)
  } catch (failure) {
    throw failure instanceof ConfigError ? new CommandError(failure.message) : failure
  }
}

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
function pollLines(systems: readonly SystemConfig[]): string[] {
  const schedules = new Set(systems.map(({ poll }) => poll.schedule).filter((schedule) => schedule !== ''))
  return [...schedules].map((schedule) => {
    const next = nextTimes(schedule, 3).map((ms) => timeText(ms / MS_PER_SECOND))
    return `next polls by "${schedule}" (UTC): ${next.join(', ')}`
  })
}

function writeLine(stream: NodeJS.WriteStream, line: string): void {
  stream.write(`${wrappedLines(visibleText(line), terminalWidth(stream))}\n`)
}
