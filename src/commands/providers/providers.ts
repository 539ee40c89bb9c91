import { Command } from 'commander'
import { writeProviders } from '../../administration/documents.ts'
import { createAdminClient } from '../../api/admin_client.ts'
import { loadConfig } from '../../config/load.ts'
import { visibleLines, visibleText } from '../../text.ts'
import { addConfigFile, type ConfigFileFlag } from '../cli/flags/config_file.ts'
import { LOG_FLAGS, type LogFlags, logFrom } from '../cli/flags/flags.ts'
import { addFlags, type FlagsOf, type FlagTable } from '../cli/flags/table.ts'
import { interruptible } from '../cli/lifetime.ts'
import { tableLines } from '../cli/output/table.ts'
import type { Terminal } from '../cli/output/terminal.ts'
import { terminalWidth } from '../cli/output/width.ts'
import { chooseSystem } from '../cli/systems.ts'
import { explained, type Target, withToken } from './caller.ts'
import { DELETION_FLAGS, type DeletionFlags, deleteWithConfirmation } from './delete.ts'

const SYSTEM_FLAGS = {
  '--system <name>': 'name of the system; required if several are configured',
  '--username <name>': 'your user name of the storage system, for a login instead of a token',
} as const satisfies FlagTable
type SystemFlags = ConfigFileFlag & FlagsOf<typeof SYSTEM_FLAGS>

const HELP = `
With --username, the command asks for your password (or takes it from the
environment variable SDS_PASSWORD), logs in, and logs out at the end. Without
it, set the environment variable SDS_TOKEN to your own token of the storage
system, or enter the token when the command asks for it. The response to a login
has a token in the header X-SDS-AUTH-TOKEN:
  curl --head --user NAME https://HOST:4443/login
There are no flags for the token and the password, because every local user can
read command lines. The credentials in the configuration file are not used.`

export function providersCommand(): Command {
  const command = new Command('providers').description(
    'list and delete the authentication providers of a system',
  )
  addSystemFlags(command.command('list'))
    .description('list the providers')
    .option('--json', 'print JSON in the format of the storage system')
    .action((flags: SystemFlags & { json?: true }) =>
      withSystem(flags, async ({ client, token, signal }) => {
        const providers = await explained(client.providers(token, signal), signal)
        process.stdout.write(
          flags.json === true ? `${visibleLines(writeProviders(providers, 'json'))}\n` : table(providers),
        )
      }),
    )
  const deletion = addFlags(addSystemFlags(command.command('delete')), LOG_FLAGS)
    .description('delete a provider; asks for its name, or its id if the name is not unique, as confirmation')
    .argument('<id>', 'id of the provider; see providers list')
  addFlags(deletion, DELETION_FLAGS).action((id: string, flags: SystemFlags & DeletionFlags & LogFlags) =>
    withSystem(flags, (target, terminal) =>
      deleteWithConfirmation({ ...target, id, flags, log: logFrom(flags), terminal }),
    ),
  )
  return command.addHelpText('after', HELP)
}

function addSystemFlags(command: Command): Command {
  return addFlags(addConfigFile(command), SYSTEM_FLAGS).addHelpText('after', HELP)
}

async function withSystem(
  flags: SystemFlags,
  task: (target: Target, terminal: Terminal) => Promise<void>,
): Promise<void> {
  const config = loadConfig(flags['config.file'], process.env, { system: flags.system })
  const { name, baseUrls, tls, limits, poll } = chooseSystem(config.systems, flags.system)
  const client = createAdminClient({
    system: { name, baseUrls, tls },
    limits,
    timeoutMs: poll.timeoutMs,
  })
  try {
    await interruptible(async (signal) => {
      const terminal = { input: process.stdin, output: process.stderr, signal }
      const credentials = { username: flags.username, environment: process.env, terminal }
      const target = { system: name, client, signal }
      await withToken(credentials, target, (token) => task({ ...target, token }, terminal))
    })
  } finally {
    await client.close()
  }
}

function table(providers: readonly { readonly id: string; readonly name: string }[]): string {
  if (providers.length === 0) return 'The system has no authentication providers.\n'
  const columns = [
    { title: 'NAME', text: ({ name }: { name: string }) => visibleText(name), shrinks: true },
    // Whole, to be copied.
    { title: 'ID', text: ({ id }: { id: string }) => visibleText(id) },
  ] as const
  return `${tableLines(columns, providers, { width: terminalWidth(process.stdout) }).join('\n')}\n`
}
