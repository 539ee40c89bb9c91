import type { SystemClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import { REASONS, type Reason } from '../../../api/errors/reasons.ts'
import { JSON_CONTENT } from '../../../api/http/exchanges.ts'
import { refusalOf } from '../../../api/http/refusals.ts'
import {
  clockSkewSeconds,
  createTransport,
  type HttpResponse,
  type Transport,
} from '../../../api/http/transport.ts'
import {
  type Account,
  decodeProviders,
  mayRead,
  PROVIDERS_ACCEPT,
  PROVIDERS_PATH,
} from '../../../api/providers/providers.ts'
import { credentialHeaders } from '../../../api/session/session.ts'
import type { AuthConfig } from '../../../config/config.ts'
import { createCommandClient } from '../../cli/systems.ts'
import {
  asFailure,
  type Finding,
  type FindingRow,
  failed,
  failuresAsWarnings,
  filled,
  firstOf,
  type Outcome,
  type SystemContext,
} from '../check/check.ts'

/** Sends a request without a token to each base URL; the system must refuse it with 401 or a redirect. */
export async function checkHttp({ system, signal }: SystemContext, baseUrls: readonly string[]) {
  // If the file of the secret cannot be read, the check of the login reports it, and there is nothing to redact.
  const transport = createTransport({
    tls: system.tls,
    timeoutMs: system.poll.timeoutMs,
    concurrency: 1,
    maxResponseBytes: system.limits.maxResponseBytes,
    onCertificate: () => undefined,
    otherSecrets: await credentialHeaders(system.auth).catch(() => ({})),
  })
  try {
    const timeout = AbortSignal.timeout(system.poll.timeoutMs)
    const probed = await Promise.all(
      baseUrls.map((baseUrl) => probe(transport, baseUrl, AbortSignal.any([signal, timeout]))),
    )
    signal.throwIfAborted()
    const answering = baseUrls.filter((_, index) => probed[index]?.finding.status !== 'fail')
    const skewSeconds = probed.find((one) => one.skewSeconds !== undefined)?.skewSeconds
    return {
      findings: failuresAsWarnings(probed.map(({ finding }) => finding)),
      fact: { answering: filled(answering), skewSeconds },
    }
  } finally {
    await transport.close()
  }
}

async function probe(transport: Transport, baseUrl: string, signal: AbortSignal) {
  const subject = new URL(baseUrl).host
  const headers = { Accept: PROVIDERS_ACCEPT, ...JSON_CONTENT }
  try {
    const answer = await transport.send({ baseUrl, method: 'GET', path: PROVIDERS_PATH, headers, signal })
    return { finding: { subject, ...(await findingFor(answer)) }, skewSeconds: clockSkewSeconds(answer) }
  } catch (failure) {
    return { finding: failed(failure, { subject }), skewSeconds: undefined }
  }
}

/** Sample ages are corrected by the skew, but lifetimes of tokens and certificates are not. */
const MAX_SKEW_SECONDS = 30

export function clockFindings(skewSeconds: number): readonly Finding[] {
  const size = Math.abs(skewSeconds)
  const text = `the clock of the system is ${size} s ${skewSeconds < 0 ? 'behind' : 'ahead of'} that of this machine`
  const rows: readonly FindingRow[] = [[size <= MAX_SKEW_SECONDS, 'ok', `clock skew ${size} s`]]
  return [firstOf(undefined, rows, 'warn', text, SYNCHRONIZE)]
}

const SYNCHRONIZE = 'correct time synchronisation (NTP) of the system or of this machine'

async function findingFor(answer: HttpResponse): Promise<Finding> {
  const refusal = refusalOf(answer) ?? (await unreadable(answer))
  if (refusal === undefined) return { status: 'info', text: 'responds, even without a token' }
  if (refusal.reason === 'auth') return { status: 'ok', text: `responds (${answer.status} without a token)` }
  if (!REASONS[refusal.reason].notAvailable) return failed(refusal)
  // Some systems check the token after the request. The next checks send a token.
  const ofAddress = refusal.reason === 'not_found' || refusal.remedy === REASONS.forbidden.remedy
  return failed(refusal, { status: 'warn', remedy: ofAddress ? ADDRESS : refusal.remedy })
}

const ADDRESS =
  'none if the next checks, which send a token, are ok; otherwise correct host name, port and path of base_url: the system may have a list of accepted server names'

async function unreadable({ decode }: HttpResponse): Promise<ApiError | undefined> {
  try {
    await decode((text) => decodeProviders(text))
    return undefined
  } catch (failure) {
    if (failure instanceof ApiError) return failure
    throw failure
  }
}

/** An authenticated client, which must be closed, and the answer of whoami if the system supports it. */
interface LoggedIn {
  readonly client: SystemClient
  readonly account: Account
}

const UNKNOWN_ACCOUNT: Account = { user: undefined, roles: undefined }

/** Logs in, or uses the token, and reads whoami. */
export async function checkLogin(
  context: SystemContext,
  baseUrls: readonly string[],
): Promise<Outcome<LoggedIn>> {
  const { system, signal } = context
  const logins: (Reason | 'ok')[] = []
  const loggedIn = (result: Reason | 'ok') => void logins.push(result)
  const client = createCommandClient({ ...system, baseUrls }, { loggedIn })
  try {
    const account = await client.account(signal)
    return { findings: [{ status: 'ok', text: acceptedText(context) }], fact: { client, account } }
  } catch (cause) {
    const isLoggedIn = logins.at(-1) === 'ok' || system.auth.kind.startsWith('token')
    // Older systems may not support whoami.
    if (isLoggedIn && cause instanceof ApiError && REASONS[cause.reason].unsupported === true)
      return { findings: [withoutAccount(context, cause)], fact: { client, account: UNKNOWN_ACCOUNT } }
    await client.close()
    signal.throwIfAborted()
    return [refused(context, asFailure(cause))]
  }
}

function acceptedText({ system: { auth } }: SystemContext): string {
  return 'username' in auth ? `${auth.username} is logged in` : 'the token is accepted'
}

/** Every role may read whoami: if it is forbidden, the token may have expired, behind a proxy that turns 401 into this. */
function withoutAccount(context: SystemContext, { reason, detail, remedy }: ApiError): Finding {
  const { auth } = context.system
  if (reason !== 'forbidden' || !auth.kind.startsWith('token'))
    return { status: 'info', text: `${acceptedText(context)}, but the system does not support whoami` }
  // Every role may read it, so the role is not the cause.
  const renew = `if other requests are refused, too, ${newToken(auth)}`
  const text = `whoami, which every role may read, is refused: ${detail}`
  return { status: 'warn', text, remedy: remedy === REASONS.forbidden.remedy ? renew : remedy }
}

function refused({ system: { auth } }: SystemContext, failure: ApiError): Finding {
  if (failure.reason !== 'auth') return failed(failure)
  const password = 'file' in auth ? auth.file : 'auth.password'
  const correct = `${failure.remedy} (auth.username, and the password in ${password})`
  const remedy = 'username' in auth ? correct : newToken(auth)
  return failed(failure, { remedy })
}

const SET_TOKEN = 'set auth.token to a new token'
const SHORT_LIVED =
  'tokens expire after some hours; use auth.username and auth.password_file to renew them automatically'

function newToken(auth: AuthConfig): string {
  const where = 'file' in auth ? `write a new token to ${auth.file}` : SET_TOKEN
  return `${where}; ${SHORT_LIVED}`
}

/** The role with the least permissions that can read the feed. */
const MINIMUM_ROLE = 'SYSTEM_MONITOR'
const ASSIGN = `assign only the role ${MINIMUM_ROLE} to the account`
const USE_OTHER = `use an account with only the role ${MINIMUM_ROLE}`

export function roleFindings(account: Account): readonly Finding[] {
  const { roles = [] } = account
  const who = `${account.user ?? 'the account'} has ${roles.join(', ')}`
  const isMore = roles.some((role) => role !== MINIMUM_ROLE)
  const rows: readonly FindingRow[] = [
    [roles.length === 0, 'info', 'the system does not report the roles of the account'],
    [!mayRead(account), 'fail', `${who}, which cannot read the nodes`, ASSIGN],
    [isMore, 'warn', `${who}: more permissions than needed`, USE_OTHER],
  ]
  return [firstOf(undefined, rows, 'ok', who)]
}
