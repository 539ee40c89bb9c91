import { userInfo } from 'node:os'
import { createAudit } from '../../administration/audit.ts'
import { deleteProvider, type Lookup, lookUp } from '../../administration/deletion.ts'
import { UnknownOutcome } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { type Provider, providerPath } from '../../api/providers/providers.ts'
import type { Log } from '../../log.ts'
import { INVISIBLE, visibleLines, visibleText } from '../../text.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import type { FlagsOf, FlagTable } from '../cli/flags/table.ts'
import { askLine, type Terminal } from '../cli/output/terminal.ts'
import { explain, explained, NEVER_ABORTED, type Target } from './caller.ts'

export const DELETION_FLAGS = {
  '--yes': 'delete without confirmation',
  '--json': 'print the result as a JSON object: system, id, name',
} as const satisfies FlagTable
export type DeletionFlags = FlagsOf<typeof DELETION_FLAGS>

export interface ProviderDeletion extends Target {
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
