import { Command } from 'commander'
import type { Period } from '../../api/history/history.ts'
import type { SystemConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { hardwareFinder, nodesIn } from '../../state/resources.ts'
import type { Failure, SystemState } from '../../state/state.ts'
import { createPoolDetails } from '../../status/pool_status.ts'
import { SEVERITIES } from '../../status/states.ts'
import { kindWith, RESOURCE_NAMES } from '../../system_catalogue.ts'
import { namesText, visibleLines, visibleText } from '../../text.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { addConfigFile, type ConfigFileFlag } from '../cli/flags/config_file.ts'
import { addFlags, type FlagsOf, type FlagTable, parseSeconds, parseTime } from '../cli/flags/table.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress, terminalWidth } from '../cli/output/width.ts'
import { chooseSystem, createCommandClient, pollOnce } from '../cli/systems.ts'
import { readSummaries, type Summaries, summariesTable } from './summaries.ts'
import { COLUMNS_HELP, type NodeRow, nodesTable } from './table.ts'

const HELP = `
Polls the systems once, as the exporter does, within the limits of the
configuration; no exporter needs to run. Values that a node does not report are
shown as "-", and as null in JSON. Nodes in a bad state come first. On a
terminal that is too narrow, columns are left out; in a pipe, every line has all
columns.

With --summary, it shows the lowest value, the mean and the highest value of
each attribute in a period, as the storage system computes them. The history of
free space includes the reserve, which the current value does not. ECS 3.6 and
later and ObjectScale have capacity only. With --json, each element has system,
pool, node, attribute, minimum, average and maximum in base units, and the times
of the lowest and the highest value.

Columns:
${COLUMNS_HELP}

With --json, the elements of the array are the nodes of /api/v1/status, with the
members system, pool, pool_id and newest_sample_age_seconds.

Exit codes: 0 success; 1 a system or pool could not be read (see stderr; the
others are shown); 2 usage error.`

const time = (text: string) => parseTime(text, Date.now())
const FLAGS = {
  '--system <name>': 'only this system',
  '--json': 'print a JSON array',
  '--summary': 'lowest, mean and highest value of each attribute in a period',
  '--from <time>': { description: 'start of the period (default: -24h)', parse: time },
  '--to <time>': { description: 'end of the period (default: now)', parse: time },
  '--interval <duration>': { description: 'time between two points (default: 15m)', parse: parseSeconds },
} as const satisfies FlagTable
type Flags = ConfigFileFlag & FlagsOf<typeof FLAGS>

export function nodesCommand(): Command {
  const command = new Command('nodes').description(
    'list all nodes with health, disks, used capacity and errors',
  )
  return addFlags(addConfigFile(command), FLAGS).addHelpText('after', HELP).action(showNodes)
}

async function showNodes(flags: Flags): Promise<void> {
  const { 'config.file': file, system: name, json } = flags
  const config = loadConfig(file, process.env, { system: name })
  const period = periodOf(flags)
  const chosen = name === undefined ? config.systems : [chooseSystem(config.systems, name)]
  const progress = createProgress(process.stderr)
  progress.show(`reading ${namesText(chosen, (system) => system.name)} …`)
  const systems = await interruptible((signal) =>
    Promise.all(chosen.map((system) => readNodes(system, period, signal))),
  ).finally(progress.clear)
  const nodes = systems.flatMap(rowsOf).toSorted((a, b) => rankOf(b) - rankOf(a))
  const summaries = systems.flatMap(({ summaries: { rows } }) => rows)
  const rows = period === undefined ? nodes : summaries
  // Names are not shortened without a terminal, so that lines can be searched.
  const output = { width: terminalWidth(process.stdout), stream: process.stdout }
  if (json === true) process.stdout.write(`${visibleLines(JSON.stringify(rows, undefined, 2))}\n`)
  else if (rows.length > 0)
    process.stdout.write(period === undefined ? nodesTable(nodes, output) : summariesTable(summaries, output))
  const unread = systems.flatMap(({ summaries: { failures } }) => failures)
  if (nodes.length > 0 && rows.length + unread.length === 0)
    process.stderr.write('the dashboard API has no history in this period\n')
  report(systems)
}

const DEFAULT_SECONDS = { period: 24 * 3600, interval: 900 }

/** Undefined without --summary. @throws {CommandError} usage error */
function periodOf({ summary, from, to, interval }: Flags): Period | undefined {
  if (summary !== true) {
    if (from === undefined && to === undefined && interval === undefined) return undefined
    throw new CommandError('--from, --to and --interval need --summary', EXIT.usage)
  }
  const end = to ?? Math.floor(Date.now() / 1000)
  const start = from ?? end - DEFAULT_SECONDS.period
  if (start >= end) throw new CommandError('--from must be earlier than --to', EXIT.usage)
  return { start, end, interval: interval ?? DEFAULT_SECONDS.interval }
}

const rankOf = ({ severity }: NodeRow): number => SEVERITIES.indexOf(severity)

function rowsOf({ state, now }: Awaited<ReturnType<typeof readNodes>>): NodeRow[] {
  const detailOf = createPoolDetails()
  const hardwareOf = hardwareFinder(nodesIn(state.resources))
  return [...state.pools.values()].flatMap((pool) =>
    detailOf(pool, hardwareOf).nodes.map((node) => {
      const { newest_sample_timestamp_seconds: newest } = node
      const age = newest === null ? null : Math.round(now - newest)
      const place = { system: state.name, pool: pool.label, pool_id: pool.ref.id }
      return { ...place, ...node, newest_sample_age_seconds: age }
    }),
  )
}

const NONE: Summaries = { rows: [], failures: [] }

/** Reads the nodes of a system with their values in the Flux API, and the inventory. */
async function readNodes(system: SystemConfig, period: Period | undefined, signal: AbortSignal) {
  let skewSeconds = 0
  const clockSkew = (seconds: number) => {
    skewSeconds = seconds
  }
  const client = createCommandClient(system, { clockSkew })
  const { resource: inventory } = kindWith('isOfNodes')
  const others = RESOURCE_NAMES.filter((name) => name !== inventory)
  const off = Object.fromEntries(others.map((name) => [name, { ...system.resources[name], schedule: '' }]))
  try {
    const forecast = { ...system.forecast, schedule: '' }
    const polled = { ...system, forecast, resources: { ...system.resources, ...off } }
    const state = await pollOnce(polled, client, signal)
    const summaries = period === undefined ? NONE : await readSummaries(state, client, { period, signal })
    return { state, now: Date.now() / 1000 + skewSeconds, summaries }
  } finally {
    await client.close()
  }
}

/** Names pools without nodes on stderr. @throws {CommandError} if a system or a pool could not be read */
function report(systems: readonly { readonly state: SystemState; readonly summaries: Summaries }[]): void {
  const failures = systems.flatMap(({ state: { name, pools, discoveryFailure }, summaries }) => {
    const all = [['', discoveryFailure] as readonly [pool: string, failure: Failure | undefined]]
    for (const { label, lastAttempt, reading } of pools.values()) {
      all.push([`, pool ${label}`, lastAttempt?.failure])
      if (reading?.nodes.length === 0)
        process.stderr.write(`system ${name}, pool ${visibleText(label)}: no nodes\n`)
    }
    const ofState = all.flatMap(([pool, failure]) =>
      failure === undefined ? [] : [`system ${name}${pool}: ${failure.message}; ${failure.remedy}`],
    )
    return [...ofState, ...summaries.failures]
  })
  if (failures.length === 0) return
  throw new CommandError(failures.map(visibleText).join('\nsds-exporter: '), EXIT.failed)
}
