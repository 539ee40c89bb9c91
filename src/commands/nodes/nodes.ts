import { Command, InvalidArgumentError } from 'commander'
import { forecastTarget } from '../../alerting/conditions.ts'
import type { Period } from '../../api/history/series.ts'
import type { SystemConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { suggestion } from '../../config/values/unknown_keys.ts'
import type { SystemState } from '../../state/state.ts'
import { kindWith, RESOURCE_NAMES } from '../../system_catalogue.ts'
import { namesText, visibleLines, visibleText } from '../../text.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { addConfigFile, type ConfigFileFlag } from '../cli/flags/config_file.ts'
import { addFlags, type FlagsOf, type FlagTable, parseSeconds, parseTime } from '../cli/flags/table.ts'
import { interruptible } from '../cli/lifetime.ts'
import type { TableOutput } from '../cli/output/table.ts'
import { createProgress, itemList, terminalWidth } from '../cli/output/width.ts'
import { chooseSystem, createCommandClient, pollOnce } from '../cli/systems.ts'
import { MEMBERS, nodeRows, sortBySeverity, sortRows } from './rows.ts'
import {
  readHistories,
  SUMMARIZED_NAMES,
  SUMMARY_MEMBERS,
  type SummaryRow,
  type SystemHistory,
  summaryRows,
  summaryText,
} from './summaries.ts'
import { COLUMNS_HELP, nodesTable } from './table.ts'

const HELP = `
Polls the systems once, as the exporter does, within the limits of the
configuration; no exporter needs to run. Values that a node does not report are
shown as "-", and as null in JSON. Nodes in a bad state come first. On a
terminal that is too narrow, columns are left out; in a pipe, every line has all
columns.

With --summary, it shows the lowest value, the mean and the highest value of
each attribute, with the time of the highest, as the storage system computes
them for a period. --node and --attribute select rows. Times are UTC. They cover
one point in each interval. The history of free space includes the reserve,
which the current value does not. ECS 3.6 and later and ObjectScale have
capacity only.

Columns:
${COLUMNS_HELP}

Members of each array element with --json:
${itemList(Object.entries(MEMBERS))}

Members with --summary --json, beside those of pool and node:
${itemList(Object.entries(SUMMARY_MEMBERS))}

Examples:
  sds-exporter nodes --config.file=sds-exporter.yml
  sds-exporter nodes --config.file=sds-exporter.yml --summary --from=-24h
  sds-exporter nodes --config.file=sds-exporter.yml --summary --from=-30d \\
    --node=hot-node-01 --attribute=diskSpaceFree

Exit codes: 0 success; 1 a system or pool could not be read (see stderr; the
others are shown); 2 usage error.`

const time = (text: string) => parseTime(text, Date.now())
const FLAGS = {
  '--system <name>': 'only this system',
  '--json': 'print a JSON array',
  '--summary': 'lowest, mean and highest value of each attribute in a period',
  '--node <name>': 'with --summary: only this node, by name or id',
  '--attribute <name>': {
    description: 'with --summary: only this attribute; may be repeated',
    parse: collectAttribute,
  },
  '--from <time>': { description: 'start of the period, such as -24h or 2026-03-01', parse: time },
  '--to <time>': { description: 'end of the period (default: now)', parse: time },
  '--interval <duration>': {
    description: 'time between two points (default: at most 96 points)',
    parse: parseSeconds,
  },
} as const satisfies FlagTable
type Flags = ConfigFileFlag & FlagsOf<typeof FLAGS>

export function nodesCommand(): Command {
  const command = new Command('nodes').description(
    'list all nodes with health, disks, used capacity and errors',
  )
  return addFlags(addConfigFile(command), FLAGS).addHelpText('after', HELP).action(showNodes)
}

async function showNodes(flags: Flags): Promise<void> {
  const config = loadConfig(flags['config.file'], process.env, { system: flags.system })
  const period = periodOf(flags)
  const chosen = flags.system === undefined ? config.systems : [chooseSystem(config.systems, flags.system)]
  if (period !== undefined) return await showSummaries(chosen, period, flags)
  const systems = await readAll(chosen, readNodes)
  const target = forecastTarget(config.alerting)
  const all = systems.flatMap(({ state, now }) => nodeRows(state, target, now))
  const rows = sortBySeverity(sortRows(all))
  print(flags, rows, () => nodesTable(rows, outputOf(process.stdout)))
  report(systems.map(({ state }) => unreadOf(state)))
}

/** Reads the nodes of a system with their forecasts, their values in the Flux API, and the inventory. */
async function readNodes(system: SystemConfig, signal: AbortSignal) {
  let skewSeconds = 0
  const clockSkew = (seconds: number) => {
    skewSeconds = seconds
  }
  const client = createCommandClient(system, { clockSkew })
  const { resource: inventory } = kindWith('isOfNodes')
  const others = RESOURCE_NAMES.filter((name) => name !== inventory)
  const off = Object.fromEntries(others.map((name) => [name, { ...system.resources[name], schedule: '' }]))
  try {
    const state = await pollOnce({ ...system, resources: { ...system.resources, ...off } }, client, signal)
    return { state, now: Date.now() / 1000 + skewSeconds }
  } finally {
    await client.close()
  }
}

function unreadOf({ name, pools, discoveryFailure }: SystemState): Unread {
  const ofPools = [...pools.values()].map(
    ({ label, lastAttempt }) => [`, pool ${label}`, lastAttempt?.failure] as const,
  )
  return {
    failures: [['', discoveryFailure] as const, ...ofPools].flatMap(([pool, failure]) =>
      failure === undefined ? [] : [`system ${name}${pool}: ${failure.message}; ${failure.remedy}`],
    ),
    system: name,
    empty: [...pools.values()].flatMap(({ label, reading }) => (reading?.nodes.length === 0 ? [label] : [])),
  }
}

async function showSummaries(chosen: readonly SystemConfig[], period: Period, flags: Flags): Promise<void> {
  const systems = await readAll(chosen, (system, signal) => readHistories(system, period, signal))
  const rows = chosenRows(sortRows(systems.flatMap(summaryRows)), flags)
  print(flags, rows, () => summaryText(rows, period, outputOf(process.stdout)))
  const hasNodes = systems.some(({ pools }) => pools.some(({ reading }) => reading.nodes.length > 0))
  if (hasNodes && rows.length === 0) {
    const what = flags.attribute?.join(', ') ?? 'any attribute'
    process.stderr.write(`the dashboard API has no history of ${what} in this period\n`)
  }
  const emptyOf = ({ pools }: SystemHistory) =>
    pools.flatMap(({ id, name, reading }) => (reading.nodes.length === 0 ? [name ?? id] : []))
  report(systems.map((system) => ({ ...system, empty: emptyOf(system) })))
}

function collectAttribute(text: string, before: readonly string[] = []): readonly string[] {
  if (SUMMARIZED_NAMES.includes(text)) return [...before, text]
  const meant = suggestion(text, SUMMARIZED_NAMES)
  const hint =
    meant === undefined ? `Attributes are: ${SUMMARIZED_NAMES.join(', ')}.` : `Did you mean ${meant}?`
  throw new InvalidArgumentError(`There is no such attribute with a history. ${hint}`)
}

/** @throws {CommandError} if no system has the node */
function chosenRows(rows: readonly SummaryRow[], { node, attribute }: Flags): readonly SummaryRow[] {
  const ofNode = rows.filter((row) => node === undefined || row.node === node || row.node_id === node)
  if (rows.length > 0 && ofNode.length === 0) {
    const names = [...new Set(rows.map((row) => row.node))].join(', ')
    throw new CommandError(`unknown node ${node}; nodes: ${names}`, EXIT.usage)
  }
  return ofNode.filter((row) => attribute?.some((name) => name === row.attribute) ?? true)
}

/** Most points of a series that are summarized, unless --interval is given. */
const MAX_POINTS = 96
const STEP_SECONDS = 300

/** Undefined without --summary. @throws {CommandError} usage error */
function periodOf({ summary, node, attribute, from, to, interval }: Flags): Period | undefined {
  if (summary !== true) {
    const others = Object.entries({ node, attribute, from, to, interval }).find(
      ([, value]) => value !== undefined,
    )
    if (others !== undefined) throw new CommandError(`--${others[0]} needs --summary`, EXIT.usage)
    return undefined
  }
  const end = to ?? Math.floor(Date.now() / 1000)
  if (from === undefined) throw new CommandError('--summary needs --from, such as --from=-24h', EXIT.usage)
  if (from >= end) throw new CommandError('--from must be earlier than --to', EXIT.usage)
  const steps = Math.ceil((end - from) / MAX_POINTS / STEP_SECONDS)
  return { start: from, end, interval: interval ?? steps * STEP_SECONDS }
}

/** All systems at the same time. */
async function readAll<T>(
  systems: readonly SystemConfig[],
  read: (system: SystemConfig, signal: AbortSignal) => Promise<T>,
): Promise<T[]> {
  const progress = createProgress(process.stderr)
  progress.show(`reading ${namesText(systems, ({ name }) => name)} …`)
  return await interruptible((signal) => Promise.all(systems.map((system) => read(system, signal)))).finally(
    progress.clear,
  )
}

function print({ json }: Flags, rows: readonly unknown[], text: () => string): void {
  if (json === true) process.stdout.write(`${visibleLines(JSON.stringify(rows, undefined, 2))}\n`)
  else if (rows.length > 0) process.stdout.write(text())
}

interface Unread {
  readonly system: string
  readonly failures: readonly string[]
  /** Labels of the pools without nodes. */
  readonly empty: readonly string[]
}

/** @throws {CommandError} if a system or a pool could not be read */
function report(systems: readonly Unread[]): void {
  for (const { system, empty } of systems)
    for (const pool of empty) process.stderr.write(`system ${system}, pool ${visibleText(pool)}: no nodes\n`)
  const failures = systems.flatMap((system) => system.failures)
  if (failures.length === 0) return
  throw new CommandError(failures.map(visibleText).join('\nsds-exporter: '), EXIT.failed)
}

/** Names are not shortened without a terminal, so that lines can be searched. */
function outputOf(stream: NodeJS.WriteStream): TableOutput {
  return { width: terminalWidth(stream), stream }
}
