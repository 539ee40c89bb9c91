import { Command, Option } from 'commander'
import { loadConfig } from '../../config/load.ts'
import { visibleLines, visibleText } from '../../visible_text.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress } from '../cli/progress.ts'
import { chooseSystem } from '../cli/systems.ts'
import { COLUMNS_HELP } from './columns.ts'
import { readSystem } from './reading.ts'
import { MEMBERS, type NodeRow, nodeRows, sortRows } from './rows.ts'
import { sortBySeverity } from './severity.ts'
import { nodesTable, type TableOutput } from './table.ts'

interface Flags {
  'config.file': string
  system?: string
  sort: keyof typeof ORDERS
  json?: boolean
}

/** Orders of the rows. Nodes of the same severity are in the order of their names. */
const ORDERS = {
  severity: (rows: readonly NodeRow[]) => sortBySeverity(sortRows(rows)),
  name: sortRows,
} as const

const HELP = `
Reads directly from the systems, with one request for each pool and within the limits of the configuration. It does not
need a running exporter. Values that a node does not report are shown as "-", and as null in JSON. Nodes in a bad state
come first. On a terminal that is too narrow, the nodes are grouped by pool, and columns are left out; in a pipe, every
line has all columns.

Columns:
${COLUMNS_HELP}

Members of each array element with --json:
${Object.entries(MEMBERS)
  .map(([name, help]) => `  ${name.padEnd(33)}${help}`.trimEnd())
  .join('\n')}

Exit codes: 0 success; 1 a system or pool could not be read (see stderr; the others are shown); 2 usage error.`

export function nodesCommand(): Command {
  return new Command('nodes')
    .description('list all nodes with health, disks, used capacity and age of the newest sample')
    .requiredOption('--config.file <file>', 'configuration file (YAML) that defines the systems')
    .option('--system <name>', 'only this system')
    .addOption(
      new Option('--sort <order>', 'order of the nodes: by severity, then by name; or by name only')
        .choices(Object.keys(ORDERS))
        .default('severity'),
    )
    .option('--json', 'print a JSON array')
    .addHelpText('after', HELP)
    .action(showNodes)
}

async function showNodes(flags: Flags): Promise<void> {
  const config = loadConfig(flags['config.file'], process.env, { system: flags.system })
  const systems = flags.system === undefined ? config.systems : [chooseSystem(config.systems, flags.system)]
  const progress = createProgress(process.stderr)
  const feeds = await interruptible((signal) =>
    Promise.all(
      systems.map(async (system) => {
        const onPool = (pool: string) => progress.show(`reading ${system.name}, ${visibleText(pool)} …`)
        progress.show(`connecting to ${system.name} …`)
        return { system: system.name, ...(await readSystem({ system, config, signal, onPool })) }
      }),
    ),
  ).finally(progress.clear)

  const rows = ORDERS[flags.sort](feeds.flatMap(({ system, pools }) => nodeRows(system, pools)))
  if (flags.json === true) process.stdout.write(`${visibleLines(JSON.stringify(rows, undefined, 2))}\n`)
  else if (rows.length > 0) process.stdout.write(nodesTable(rows, outputOf(process.stdout)))

  for (const { system, pools } of feeds) {
    for (const { id } of pools.filter(({ reading }) => reading.nodes.length === 0)) {
      process.stderr.write(`system ${system}, pool ${visibleText(id)}: no nodes\n`)
    }
  }
  const failures = feeds.flatMap(({ failures }) => failures)
  if (failures.length === 0) return
  throw new Failed(failures.map(visibleText).join('\nsds-exporter: '), EXIT.failed)
}

/** Names are not shortened without a terminal, so that lines can be searched. */
function outputOf(stream: NodeJS.WriteStream): TableOutput {
  return { width: stream.isTTY ? stream.columns : undefined, stream }
}
