import { userInfo } from 'node:os'
import { Command } from 'commander'
import { createAudit } from '../../administration/audit.ts'
import { deleteProvider, type Lookup, lookUp } from '../../administration/deletion.ts'
import { writeProviders } from '../../administration/documents.ts'
import { createAdminClient, UnknownOutcome } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { type Provider, providerPath } from '../../api/providers/providers.ts'
import { loadConfig } from '../../config/load.ts'
import type { Log } from '../../log.ts'
import { INVISIBLE, visibleLines, visibleText } from '../../text.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { addConfigFile, type ConfigFileFlag } from '../cli/flags/config_file.ts'
import { LOG_FLAGS, type LogFlags, logFrom } from '../cli/flags/flags.ts'
import { addFlags, type FlagsOf, type FlagTable } from '../cli/flags/table.ts'
import { interruptible } from '../cli/lifetime.ts'
import { tableLines } from '../cli/output/table.ts'
import { askLine, type Terminal } from '../cli/output/terminal.ts'
import { terminalWidth } from '../cli/output/width.ts'
import { chooseSystem } from '../cli/systems.ts'
import { explain, explained, NEVER_ABORTED, type Target, withToken } from './caller.ts'

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

const DELETION_FLAGS = {
  '--yes': 'delete without confirmation',
  '--json': 'print the result as a JSON object: system, id, name',
} as const satisfies FlagTable
type DeletionFlags = FlagsOf<typeof DELETION_FLAGS>

interface ProviderDeletion extends Target {
  readonly id: string
  readonly flags: DeletionFlags
  readonly log: Log
  readonly terminal: Terminal
}

/** Shows the provider, asks for confirmation and deletes it. @throws {CommandError} if it was not deleted */
export async function deleteWithConfirmation(deletion: ProviderDeletion): Promise<void> {
  const { flags, terminal, system, id } = deletion
  checkId(id)
  const isAsked = flags.yes !== true
  if (isAsked && !terminal.input.isTTY) {
    throw new CommandError('confirmation needs a terminal: use --yes to skip it', EXIT.usage)
  }
  const known = await explained(lookUp(deletion), deletion.signal)
  const list = listOf(known)
  const provider = list?.find((one) => one.id === id)
  if (list !== undefined && provider === undefined)
    throw new CommandError(
      `${system} has no provider with the id ${visibleText(id)}: see sds-exporter providers list`,
    )
  terminal.output.write(summary(system, id, known.user, provider))
  if (isAsked) await confirm(terminal, list ?? [], id)
  await deleteOnce(deletion, known)
  const text = `Deleted ${visibleText(provider?.name || id)} from ${system}.`
  const facts = { system, id, name: provider?.name ?? null }
  process.stdout.write(`${flags.json === true ? visibleLines(JSON.stringify(facts)) : text}\n`)
}

function checkId(id: string): void {
  try {
    providerPath(id)
  } catch (failure) {
    throw new CommandError(failure instanceof ApiError ? failure.detail : 'invalid id', EXIT.usage)
  }
}

/** Undefined for an account that may not list providers; it may still delete one. @throws {CommandError} for other failures */
function listOf({ providers }: Lookup): readonly Provider[] | undefined {
  if (!(providers instanceof ApiError)) return providers
  if (providers.reason === 'forbidden') return undefined
  throw explain(providers)
}

function summary(
  system: string,
  id: string,
  user: string | undefined,
  provider: Provider | undefined,
): string {
  return `System:    ${system}
Provider:  ${visibleText(provider?.name ?? 'unknown: your account may not list providers')}
Id:        ${visibleText(id)}
You:       ${visibleText(user ?? 'unknown')}
`
}

/** Characters that cannot be typed, private-use and unassigned ones included. */
const UNTYPABLE = new RegExp(`[\\p{C}${INVISIBLE}]`, 'u')

const normalized = (text: string) => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** Asks for the name if it can be typed and no other provider has it, otherwise for the id. */
async function confirm(terminal: Terminal, list: readonly Provider[], id: string): Promise<void> {
  const name = list.find((provider) => provider.id === id)?.name ?? ''
  const isTypable =
    normalized(name) !== '' &&
    !UNTYPABLE.test(name) &&
    list.filter((one) => normalized(one.name) === normalized(name)).length === 1
  // The id as it is shown, because invisible characters cannot be typed.
  const [field, value] = isTypable ? ['name', name] : ['id', visibleText(id)]
  const typed = await askLine(terminal, `Type the ${field} of the provider to delete it: `)
  if (normalized(typed) !== normalized(value))
    throw new CommandError(`this is not the ${field} of the provider: nothing was deleted`)
}

async function deleteOnce(deletion: ProviderDeletion, known: Lookup): Promise<void> {
  const audit = createAudit(deletion.log)
  // Once it is sent, an interruption does not stop it.
  const uninterrupted = { ...deletion, signal: NEVER_ABORTED }
  try {
    await deleteProvider({ ...uninterrupted, known, address: `command line of ${localUser()}` }, audit)
  } catch (failure) {
    throw failure instanceof UnknownOutcome ? await describeOutcome(uninterrupted, failure) : explain(failure)
  }
}

/** Finds out from the list whether a deletion without a response happened. */
async function describeOutcome(
  { client, token, signal, id }: ProviderDeletion,
  lost: UnknownOutcome,
): Promise<CommandError> {
  const message = visibleText(lost.message)
  const list = await client.providers(token, signal).catch(() => undefined)
  if (list === undefined) return new CommandError(message)
  return new CommandError(
    list.some((provider) => provider.id === id)
      ? `${message}\nThe provider is still in the list: it was not deleted, or not yet.`
      : `${message}\nThe provider is no longer in the list: it was deleted.`,
  )
}

/** In a container the user may have no passwd entry. */
function localUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
