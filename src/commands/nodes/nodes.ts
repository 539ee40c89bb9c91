import { Command } from 'commander'
import { loadConfig } from '../../config/load.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress } from '../cli/progress.ts'
import { chooseSystem } from '../cli/systems.ts'
import { printable } from '../cli/terminal.ts'
import { readSystem } from './reading.ts'
import { MEMBERS, nodeRows, sortRows } from './rows.ts'
import { COLUMNS_HELP, nodesTable } from './table.ts'

interface Flags {
  'config.file': string
  system?: string
  json?: boolean
}

const HELP = `
Asks the systems themselves, as the exporter does: one request for each pool, within the limits of the configuration.
A running exporter is neither needed nor disturbed. What a node does not tell is "-", and null in JSON: never 0.

Columns:
${COLUMNS_HELP}

Members of each element of the array that --json prints:
${Object.entries(MEMBERS)
  .map(([name, help]) => `  ${name.padEnd(33)}${help}`.trimEnd())
  .join('\n')}

Exit codes: 0 done; 1 a system or a pool could not be read (stderr says why, the others are shown); 2 wrong usage.`

export function nodesCommand(): Command {
  return new Command('nodes')
    .description('show all nodes: health, disks, capacity used, age of the newest sample')
    .requiredOption('--config.file <file>', 'the configuration file (YAML), which says where the systems are')
    .option('--system <name>', 'this system alone')
    .option('--json', 'print an array in JSON')
    .addHelpText('after', HELP)
    .action(showNodes)
}

async function showNodes(flags: Flags): Promise<void> {
  const config = loadConfig(flags['config.file'], process.env)
  const systems = flags.system === undefined ? config.systems : [chooseSystem(config.systems, flags.system)]
  const progress = createProgress(process.stderr)
  const feeds = await interruptible((signal) =>
    Promise.all(
      systems.map(async (system) => {
        const onPool = (pool: string) => progress.show(`reading ${system.name}, ${printable(pool)} …`)
        progress.show(`asking ${system.name} …`)
        return { system: system.name, ...(await readSystem({ system, config, signal, onPool })) }
      }),
    ),
  ).finally(progress.clear)

  const rows = sortRows(feeds.flatMap(({ system, pools }) => nodeRows(system, pools)))
  if (flags.json === true) process.stdout.write(`${JSON.stringify(rows, undefined, 2)}\n`)
  else if (rows.length > 0) process.stdout.write(nodesTable(rows, terminalWidth(process.stdout)))

  for (const { system, pools } of feeds) {
    for (const { id } of pools.filter(({ reading }) => reading.nodes.length === 0)) {
      process.stderr.write(`system ${system}, pool ${printable(id)}: has no nodes\n`)
    }
  }
  const failures = feeds.flatMap(({ failures }) => failures)
  if (failures.length === 0) return
  throw new Failed(failures.map(printable).join('\nsds-exporter: '), EXIT.failed)
}

const NARROWEST_TERMINAL = 80

/** Names are shortened for eyes alone: what is read by another program stays whole. */
function terminalWidth({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  return isTTY ? Math.max(columns, NARROWEST_TERMINAL) : undefined
}
