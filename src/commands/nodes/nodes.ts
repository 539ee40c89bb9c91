import { Command } from 'commander'
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
import { addFlags, type FlagsOf, type FlagTable } from '../cli/flags/table.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress, terminalWidth } from '../cli/output/width.ts'
import { chooseSystem, createCommandClient, pollOnce } from '../cli/systems.ts'
import { COLUMNS_HELP, type NodeRow, nodesTable } from './table.ts'

const HELP = `
Polls the systems once, as the exporter does, within the limits of the
configuration; no exporter needs to run. Values that a node does not report are
shown as "-", and as null in JSON. Nodes in a bad state come first. On a
terminal that is too narrow, columns are left out; in a pipe, every line has all
columns.

Columns:
${COLUMNS_HELP}

With --json, the elements of the array are the nodes of /api/v1/status, with the
members system, pool, pool_id and newest_sample_age_seconds.

Exit codes: 0 success; 1 a system or pool could not be read (see stderr; the
others are shown); 2 usage error.`

const FLAGS = {
  '--system <name>': 'only this system',
  '--json': 'print a JSON array',
} as const satisfies FlagTable
type Flags = ConfigFileFlag & FlagsOf<typeof FLAGS>

export function nodesCommand(): Command {
  const command = new Command('nodes').description(
    'list all nodes with health, disks, used capacity and errors',
  )
  return addFlags(addConfigFile(command), FLAGS).addHelpText('after', HELP).action(showNodes)
}

async function showNodes({ 'config.file': file, system: name, json }: Flags): Promise<void> {
  const config = loadConfig(file, process.env, { system: name })
  const chosen = name === undefined ? config.systems : [chooseSystem(config.systems, name)]
  const progress = createProgress(process.stderr)
  progress.show(`reading ${namesText(chosen, (system) => system.name)} …`)
  const systems = await interruptible((signal) =>
    Promise.all(chosen.map((system) => readNodes(system, signal))),
  ).finally(progress.clear)
  const rows = systems.flatMap(rowsOf).toSorted((a, b) => rankOf(b) - rankOf(a))
  if (json === true) process.stdout.write(`${visibleLines(JSON.stringify(rows, undefined, 2))}\n`)
  // Names are not shortened without a terminal, so that lines can be searched.
  else if (rows.length > 0)
    process.stdout.write(nodesTable(rows, { width: terminalWidth(process.stdout), stream: process.stdout }))
  report(systems.map(({ state }) => state))
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

/** Reads the nodes of a system with their values in the Flux API, and the inventory. */
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
    const forecast = { ...system.forecast, schedule: '' }
    const polled = { ...system, forecast, resources: { ...system.resources, ...off } }
    const state = await pollOnce(polled, client, signal)
    return { state, now: Date.now() / 1000 + skewSeconds }
  } finally {
    await client.close()
  }
}

/** Names pools without nodes on stderr. @throws {CommandError} if a system or a pool could not be read */
function report(systems: readonly SystemState[]): void {
  const failures = systems.flatMap(({ name, pools, discoveryFailure }) => {
    const all = [['', discoveryFailure] as readonly [pool: string, failure: Failure | undefined]]
    for (const { label, lastAttempt, reading } of pools.values()) {
      all.push([`, pool ${label}`, lastAttempt?.failure])
      if (reading?.nodes.length === 0)
        process.stderr.write(`system ${name}, pool ${visibleText(label)}: no nodes\n`)
    }
    return all.flatMap(([pool, failure]) =>
      failure === undefined ? [] : [`system ${name}${pool}: ${failure.message}; ${failure.remedy}`],
    )
  })
  if (failures.length === 0) return
  throw new CommandError(failures.map(visibleText).join('\nsds-exporter: '), EXIT.failed)
}
