import { Command } from 'commander'
import { createAdminClient } from '../../api/admin_client.ts'
import { loadConfig } from '../../config/load.ts'
import { writeProviders } from '../../server/admin/documents.ts'
import { addLogFlags, type LogFlags, logFrom } from '../cli/flags.ts'
import { chooseSystem } from '../cli/systems.ts'
import { printable, type Terminal } from '../cli/terminal.ts'
import { callerToken, explained, STAYING, type Target } from './caller.ts'
import { type DeletionFlags, deleteByPerson } from './delete.ts'

interface SystemFlags {
  'config.file': string
  system?: string
}

const HELP = `
The token is yours, of the storage system that is asked: it is read from the environment variable SDS_TOKEN, or
asked for without being shown. There is no flag for it, because every user of a machine can read command lines.`

export function providersCommand(): Command {
  const command = new Command('providers').description(
    'list and delete the authentication providers of a system',
  )
  addSystemFlags(command.command('list'))
    .description('list the providers')
    .option('--json', 'print the list as the storage system would, in JSON')
    .action((flags: SystemFlags & { json?: boolean }) =>
      withSystem(flags, async ({ client, token }) => {
        const providers = await explained(client.providers(token, STAYING))
        process.stdout.write(
          flags.json === true ? `${writeProviders(providers, 'json')}\n` : table(providers),
        )
      }),
    )
  addLogFlags(addSystemFlags(command.command('delete')))
    .description(
      'delete a provider, after its name (or its id, where the name is not unique) was typed to confirm',
    )
    .argument('<id>', 'the id of the provider, as the list has it')
    .option('--yes', 'do not ask for the name or id')
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--json', 'print what was deleted as a JSON object: system, id, name, deleted')
    .option('--admin.audit-file <file>', 'write the deletion to this file too, as a JSON line')
    .action((id: string, flags: SystemFlags & DeletionFlags & LogFlags) =>
      withSystem(flags, (target) =>
        deleteByPerson({ ...target, id, flags, log: logFrom(flags), terminal: TERMINAL }),
      ),
    )
  return command.addHelpText('after', HELP)
}

function addSystemFlags(command: Command): Command {
  return command
    .requiredOption('--config.file <file>', 'the configuration file (YAML), which says where the systems are')
    .option('--system <name>', 'the system, where the file has several')
    .addHelpText('after', HELP)
}

const TERMINAL: Terminal = { input: process.stdin, output: process.stderr }

async function withSystem(flags: SystemFlags, task: (target: Target) => Promise<void>): Promise<void> {
  const config = loadConfig(flags['config.file'], process.env)
  const { name, baseUrls, tls } = chooseSystem(config.systems, flags.system)
  const token = await callerToken(process.env['SDS_TOKEN'], TERMINAL, name)
  const client = createAdminClient({
    system: { name, baseUrls, tls },
    limits: config.limits,
    timeoutMs: config.poll.timeoutMs,
  })
  try {
    await task({ system: name, client, token })
  } finally {
    await client.close()
  }
}

/** Names before ids, in columns. */
function table(providers: readonly { readonly id: string; readonly name: string }[]): string {
  if (providers.length === 0) return 'The system has no authentication providers.\n'
  const rows = [{ name: 'NAME', id: 'ID' }, ...providers].map(({ id, name }) => [
    printable(name),
    printable(id),
  ])
  const width = Math.max(...rows.map(([name = '']) => name.length))
  return rows.map(([name = '', id]) => `${name.padEnd(width)}  ${id}\n`).join('')
}
