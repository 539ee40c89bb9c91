import { userInfo } from 'node:os'
import { ApiError } from '../../api/errors/errors.ts'
import { UnknownOutcome } from '../../api/providers/deletion.ts'
import { type Provider, providerPath } from '../../api/providers/providers.ts'
import type { Log } from '../../log.ts'
import { type AuditFacts, createAudit, fingerprint } from '../../server/admin/audit.ts'
import { outcomeOf, statusOf } from '../../server/admin/outcome.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { askLine, printable, type Terminal } from '../cli/terminal.ts'
import { explain, explained, STAYING, type Target } from './caller.ts'

export interface DeletionFlags {
  yes?: boolean
  dryRun?: boolean
  json?: boolean
  'admin.auditFile'?: string
}

export interface DeletionByPerson extends Target {
  readonly id: string
  readonly flags: DeletionFlags
  readonly log: Log
  readonly terminal: Terminal
}

/** Shows what would go, asks, deletes, and says what became of it. @throws {Failed} unless it was deleted */
export async function deleteByPerson(deletion: DeletionByPerson): Promise<void> {
  const { id, flags, terminal, system } = deletion
  checkId(id)
  const isAsked = flags.yes !== true && flags.dryRun !== true
  if (isAsked && !terminal.input.isTTY) {
    throw new Failed('there is nobody to type the name of the provider: use --yes', EXIT.usage)
  }
  const { user, provider, isUnique } = await lookUp(deletion)
  terminal.output.write(summary(deletion, user, provider))
  const isDeleted = flags.dryRun !== true
  if (isAsked) await confirm(terminal, isUnique ? provider : undefined, id)
  if (isDeleted) await deleteOnce(deletion, user, provider)
  const words = isDeleted
    ? `Deleted ${printable(provider?.name || id)} from ${system}.`
    : 'Dry run: nothing was deleted.'
  const facts = { system, id, name: provider?.name ?? null, deleted: isDeleted }
  process.stdout.write(`${flags.json === true ? JSON.stringify(facts) : words}\n`)
}

function checkId(id: string): void {
  try {
    providerPath(id)
  } catch (failure) {
    throw new Failed(failure instanceof ApiError ? failure.detail : 'the id cannot be sent', EXIT.usage)
  }
}

interface LookedUp {
  readonly user: string | undefined
  readonly provider: Provider | undefined
  /** Whether no other provider has its name, as names are typed. */
  readonly isUnique: boolean
}

/** Not everybody who may delete may list; then the id stands for itself. */
async function lookUp({ client, token, id, system }: DeletionByPerson): Promise<LookedUp> {
  const [list, whoami] = await Promise.allSettled([
    client.providers(token, STAYING),
    client.user(token, STAYING),
  ])
  const user = whoami.status === 'fulfilled' ? whoami.value : undefined
  if (list.status === 'rejected') {
    if (list.reason instanceof ApiError && list.reason.reason === 'forbidden')
      return { user, provider: undefined, isUnique: false }
    throw explain(list.reason)
  }
  const provider = list.value.find((candidate) => candidate.id === id)
  const namesakes = list.value.filter(({ name }) => plain(name) === plain(provider?.name ?? ''))
  if (provider !== undefined) return { user, provider, isUnique: namesakes.length === 1 }
  throw new Failed(`${system} has no provider with the id ${printable(id)}: see sds-exporter providers list`)
}

function summary(
  { system, id }: DeletionByPerson,
  user: string | undefined,
  provider: Provider | undefined,
): string {
  const name = provider === undefined ? 'unknown: your account may not list' : printable(provider.name)
  return `System:    ${system}
Provider:  ${name}
Id:        ${printable(id)}
You:       ${user === undefined ? 'unknown to the system' : printable(user)}
`
}

const plain = (text: string) => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** @param named the provider, where its name says which one is meant; else the id is asked for */
async function confirm(terminal: Terminal, named: Provider | undefined, id: string): Promise<void> {
  // A name that nobody can type is no question.
  const isTypable = named !== undefined && plain(named.name) !== '' && !/\p{C}/u.test(named.name)
  const [what, word] = isTypable ? ['name', named.name] : ['id', id]
  const typed = await askLine(terminal, `Type the ${what} of the provider to delete it: `)
  if (plain(typed) !== plain(word))
    throw new Failed(`this is not the ${what} of the provider: nothing was deleted`)
}

async function deleteOnce(
  { client, token, id, system, flags, log }: DeletionByPerson,
  user: string | undefined,
  provider: Provider | undefined,
): Promise<void> {
  const file = flags['admin.auditFile']
  const line = createAudit({ log, ...(file !== undefined && { file }) }).line()
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
    await line.begin(facts)
    await client.deleteProvider(token, id)
  } catch (failure) {
    await line.end(facts, outcomeOf(failure), statusOf(failure))
    if (failure instanceof UnknownOutcome) throw await lookAgain({ client, token, id }, failure)
    throw explain(failure)
  }
  await explained(line.end(facts, 'deleted', 200))
}

/** The answer was lost: the list knows. */
async function lookAgain(
  { client, token, id }: Pick<DeletionByPerson, 'client' | 'token' | 'id'>,
  lost: UnknownOutcome,
) {
  const words = printable(lost.message)
  try {
    const list = await client.providers(token, STAYING)
    return new Failed(
      list.some((provider) => provider.id === id)
        ? `${words}\nIt is still in the list: it was not deleted, or not yet.`
        : `${words}\nIt is not in the list any more: it was deleted.`,
    )
  } catch {
    return new Failed(words)
  }
}

/** There may be no entry for the user in a container. */
function localUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
