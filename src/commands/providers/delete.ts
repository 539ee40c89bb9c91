import { userInfo } from 'node:os'
import { ApiError } from '../../api/errors/errors.ts'
import { UnknownOutcome } from '../../api/providers/deletion.ts'
import { type Provider, providerPath } from '../../api/providers/providers.ts'
import { suggestion } from '../../config/values/suggestions.ts'
import type { Log } from '../../log.ts'
import { type AuditFacts, createAudit, fingerprint } from '../../server/admin/audit.ts'
import { outcomeOf, statusOf } from '../../server/admin/outcome.ts'
import { INVISIBLE, visibleLines, visibleText } from '../../text.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { askLine, type Terminal } from '../cli/output/terminal.ts'
import { explain, explained, NEVER_ABORTED, type Target } from './caller.ts'

export interface DeletionFlags {
  yes?: boolean
  dryRun?: boolean
  json?: boolean
  'admin.auditFile'?: string
}

export interface ProviderDeletion extends Target {
  readonly idOrName: string
  readonly flags: DeletionFlags
  readonly log: Log
  readonly terminal: Terminal
}

/** Shows the provider, asks for confirmation and deletes it. @throws {Failed} if it was not deleted */
export async function deleteWithConfirmation(deletion: ProviderDeletion): Promise<void> {
  const { flags, terminal, system } = deletion
  if (looksLikeId(deletion.idOrName)) checkId(deletion.idOrName)
  const isAsked = flags.yes !== true && flags.dryRun !== true
  if (isAsked && !terminal.input.isTTY) {
    throw new Failed('confirmation needs a terminal: use --yes to skip it', EXIT.usage)
  }
  const { user, provider, isUnique } = await lookUp(deletion)
  const id = provider?.id ?? deletion.idOrName
  checkId(id)
  const found = { ...deletion, id }
  terminal.output.write(summary(found, user, provider))
  const isDeleted = flags.dryRun !== true
  if (isAsked) await confirm(terminal, isUnique ? provider : undefined, id)
  if (isDeleted) await deleteOnce(found, user, provider)
  const text = isDeleted
    ? `Deleted ${visibleText(provider?.name || id)} from ${system}.`
    : 'Dry run: nothing was deleted.'
  const facts = { system, id, name: provider?.name ?? null, deleted: isDeleted }
  process.stdout.write(`${flags.json === true ? visibleLines(JSON.stringify(facts)) : text}\n`)
}

/** Ids of the API document. Other text may be a name. */
function looksLikeId(text: string): boolean {
  return text.startsWith('urn:')
}

function checkId(id: string): void {
  try {
    providerPath(id)
  } catch (failure) {
    throw new Failed(failure instanceof ApiError ? failure.detail : 'invalid id', EXIT.usage)
  }
}

interface LookupResult {
  readonly user: string | undefined
  readonly provider: Provider | undefined
  /** Whether no other provider has the same name, apart from white space. */
  readonly isUnique: boolean
}

/** An account may delete without the right to list; then the provider is undefined. */
async function lookUp({ client, token, idOrName, system, signal }: ProviderDeletion): Promise<LookupResult> {
  const [list, whoami] = await Promise.allSettled([
    client.providers(token, signal),
    client.user(token, signal),
  ])
  const user = whoami.status === 'fulfilled' ? whoami.value : undefined
  signal.throwIfAborted()
  if (list.status === 'rejected') {
    if (list.reason instanceof ApiError && list.reason.reason === 'forbidden')
      return { user, provider: undefined, isUnique: false }
    throw explain(list.reason)
  }
  const provider = findProvider(list.value, idOrName, system)
  return { user, provider, isUnique: namesakes(list.value, provider.name).length === 1 }
}

/** The provider with the id; otherwise the only one with the name. */
function findProvider(list: readonly Provider[], idOrName: string, system: string): Provider {
  const byName = namesakes(list, idOrName)
  const provider = list.find(({ id }) => id === idOrName) ?? byName[0]
  if (provider !== undefined && (provider.id === idOrName || byName.length === 1)) return provider
  const shown = visibleText(idOrName)
  if (provider !== undefined) {
    const ids = byName.map(({ id }) => visibleText(id)).join(', ')
    throw new Failed(`${system} has ${byName.length} providers with the name ${shown}: use an id (${ids})`)
  }
  const names = list.map(({ name }) => name)
  const meant = suggestion(idOrName, names)
  throw new Failed(
    `${system} has no provider with the id or name ${shown}${meant === undefined ? ': see sds-exporter providers list' : `; did you mean ${visibleText(meant)}?`}`,
  )
}

/** Names differ in more than white space. */
function namesakes(list: readonly Provider[], name: string): readonly Provider[] {
  return list.filter((provider) => normalized(provider.name) === normalized(name))
}

/** A deletion whose provider is known by its id. */
type FoundDeletion = ProviderDeletion & { readonly id: string }

function summary(
  { system, id }: FoundDeletion,
  user: string | undefined,
  provider: Provider | undefined,
): string {
  const name =
    provider === undefined ? 'unknown: your account may not list providers' : visibleText(provider.name)
  return `System:    ${system}
Provider:  ${name}
Id:        ${visibleText(id)}
You:       ${user === undefined ? 'unknown' : visibleText(user)}
`
}

/** Also private-use and unassigned characters. */
const UNTYPABLE = new RegExp(`[\\p{C}${INVISIBLE}]`, 'u')

const normalized = (text: string) => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** @param named the provider, if its name is unique; otherwise the id must be typed */
async function confirm(terminal: Terminal, named: Provider | undefined, id: string): Promise<void> {
  const isTypable = named !== undefined && normalized(named.name) !== '' && !UNTYPABLE.test(named.name)
  // As shown, because invisible characters of an id cannot be typed either.
  const [field, value] = isTypable ? ['name', named.name] : ['id', visibleText(id)]
  const typed = await askLine(terminal, `Type the ${field} of the provider to delete it: `)
  if (normalized(typed) !== normalized(value))
    throw new Failed(`this is not the ${field} of the provider: nothing was deleted`)
}

async function deleteOnce(
  { client, token, id, system, flags, log }: FoundDeletion,
  user: string | undefined,
  provider: Provider | undefined,
): Promise<void> {
  const file = flags['admin.auditFile']
  const record = createAudit({ log, ...(file !== undefined && { file }) }).record()
  const facts: AuditFacts = {
    time: new Date().toISOString(),
    system,
    provider_id: id,
    provider: provider?.name ?? null,
    address: `command line of ${localUser()}`,
    user: user ?? null,
    token_sha256: fingerprint(token),
  }
  try {
    await record.begin(facts)
    await client.deleteProvider(token, id, NEVER_ABORTED)
  } catch (failure) {
    await record.end(facts, outcomeOf(failure), statusOf(failure))
    if (failure instanceof UnknownOutcome) throw await describeOutcome({ client, token, id }, failure)
    throw explain(failure)
  }
  await explained(record.end(facts, 'deleted', 200))
}

/** Finds out from the list whether a deletion without a response happened. */
async function describeOutcome(
  { client, token, id }: Pick<FoundDeletion, 'client' | 'token' | 'id'>,
  lost: UnknownOutcome,
) {
  const message = visibleText(lost.message)
  try {
    const list = await client.providers(token, NEVER_ABORTED)
    return new Failed(
      list.some((provider) => provider.id === id)
        ? `${message}\nThe provider is still in the list: it was not deleted, or not yet.`
        : `${message}\nThe provider is no longer in the list: it was deleted.`,
    )
  } catch {
    return new Failed(message)
  }
}

/** In a container the user may have no passwd entry. */
function localUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
