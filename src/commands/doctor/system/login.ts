import { statSync } from 'node:fs'
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
import { decodeProviders, PROVIDERS_ACCEPT, PROVIDERS_PATH } from '../../../api/providers/providers.ts'
import { mayRead } from '../../../api/providers/whoami.ts'
import { credentialHeaders } from '../../../api/session/session.ts'
import type { AuthConfig } from '../../../config/config.ts'
import { durationText } from '../../../text.ts'
import { createCommandClient } from '../../cli/systems.ts'
import {
  asFailure,
  type CheckResult,
  type Finding,
  type FindingRow,
  failed,
  failuresAsWarnings,
  filled,
  firstOf,
} from '../check/check.ts'
import { type SystemContext, type SystemFacts, systemCheck } from '../check/system_facts.ts'

/**
 * Sends one request of the API document without a token to each base URL; the management API must refuse it with 401 or
 * a redirect.
 */
export const httpCheck = systemCheck({
  title: 'http',
  needs: ['connected'],
  gives: ['answering', 'skewSeconds'],
  run: async (context, { connected }) => {
    // If the file of the secret cannot be read, the check of the login reports it, and there is nothing to redact.
    const { system } = context
    const transport = createTransport({
      tls: system.tls,
      timeoutMs: system.poll.timeoutMs,
      concurrency: 1,
      maxResponseBytes: system.limits.maxResponseBytes,
      onCertificate: () => undefined,
      otherSecrets: await credentialHeaders(system.auth).catch(() => ({})),
    })
    try {
      const results = await Promise.all(connected.map((baseUrl) => probe(transport, baseUrl, context)))
      const answering = connected.filter((_, index) => results[index]?.finding.status !== 'fail')
      const skewSeconds = results.find((one) => one.skewSeconds !== undefined)?.skewSeconds
      return {
        findings: failuresAsWarnings(results.map(({ finding }) => finding)),
        facts: { answering: filled(answering), skewSeconds },
      }
    } finally {
      await transport.close()
    }
  },
})

async function probe(transport: Transport, baseUrl: string, { system, signal }: SystemContext) {
  const subject = new URL(baseUrl).host
  try {
    const answer = await transport.send({
      baseUrl,
      method: 'GET',
      path: PROVIDERS_PATH,
      headers: { Accept: PROVIDERS_ACCEPT, ...JSON_CONTENT },
      signal: AbortSignal.any([signal, AbortSignal.timeout(system.poll.timeoutMs)]),
    })
    return { finding: { subject, ...(await findingFor(answer)) }, skewSeconds: clockSkewSeconds(answer) }
  } catch (failure) {
    signal.throwIfAborted()
    return { finding: failed(failure, { subject }), skewSeconds: undefined }
  }
}

async function findingFor(answer: HttpResponse): Promise<Finding> {
  const refusal = refusalOf(answer) ?? (await unreadable(answer))
  if (refusal === undefined) return { status: 'info', text: 'responds, even without a token' }
  if (refusal.reason === 'auth') return { status: 'ok', text: `responds (${answer.status} without a token)` }
  if (!REASONS[refusal.reason].notAvailable) return failed(refusal)
  // Some systems check the token after the request. The next checks send a token.
  const { readerRemedy, remedy } = refusal
  const ofAddress = refusal.reason === 'not_found' || readerRemedy !== undefined
  return failed(refusal, { status: 'warn', remedy: ofAddress ? ADDRESS : remedy })
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

/** Logs in, or uses the token, and reads whoami. */
export const loginCheck = systemCheck({
  title: 'login',
  needs: ['answering'],
  gives: ['client', 'account'],
  run: async (context, { answering }) => {
    const logins: (Reason | 'ok')[] = []
    const system = { ...context.system, baseUrls: answering }
    const loggedIn = (result: Reason | 'ok') => void logins.push(result)
    const { received } = context
    const client = createCommandClient(system, { loggedIn, ...(received && { received }) })
    try {
      const account = await client.account(context.signal)
      const findings: Finding[] = [{ status: 'ok', text: acceptedText(context) }]
      return { findings, facts: { client, account } }
    } catch (cause) {
      const isLoggedIn = logins.at(-1) === 'ok' || context.system.auth.kind.startsWith('token')
      // Older systems may not support whoami.
      const isUnsupported = cause instanceof ApiError && REASONS[cause.reason].unsupported === true
      if (isLoggedIn && isUnsupported) return withoutAccount(context, client, cause)
      await client.close()
      context.signal.throwIfAborted()
      return refused(context, asFailure(cause))
    }
  },
})

function acceptedText({ system: { auth } }: SystemContext): string {
  return 'username' in auth ? `${auth.username} is logged in` : 'the token is accepted'
}

/** Every role may read whoami: if it is forbidden, the token may have expired, behind a proxy that turns 401 into this. */
function withoutAccount(
  context: SystemContext,
  client: SystemClient,
  { reason, detail, remedy, readerRemedy }: ApiError,
): CheckResult<SystemFacts> {
  const { auth } = context.system
  const finding: Finding =
    reason === 'forbidden' && auth.kind.startsWith('token')
      ? {
          status: 'warn',
          text: `whoami, which every role may read, is refused: ${detail}`,
          // Every role may read it, so the role is not the cause.
          remedy:
            readerRemedy === undefined ? remedy : `if other requests are refused, too, ${newToken(auth)}`,
        }
      : { status: 'info', text: `${acceptedText(context)}, but the system does not support whoami` }
  return { findings: [finding], facts: { client, account: null } }
}

function refused({ system: { auth } }: SystemContext, failure: ApiError): Finding[] {
  if (failure.reason !== 'auth') return [failed(failure)]
  const remedy = 'username' in auth ? `${failure.remedy} (${passwordIn(auth)})` : newToken(auth)
  return [failed(failure, { remedy })]
}

function passwordIn(auth: AuthConfig): string {
  return `auth.username, and the password in ${'file' in auth ? auth.file : 'auth.password'}`
}

const SET_TOKEN = 'set auth.token to a new token'
const SHORT_LIVED =
  'tokens expire after some hours; use auth.username and auth.password_file to renew them automatically'

function newToken(auth: AuthConfig): string {
  const where = 'file' in auth ? `write a new token to ${auth.file}${writtenAgo(auth.file)}` : SET_TOKEN
  return `${where}; ${SHORT_LIVED}`
}

function writtenAgo(file: string): string {
  try {
    return `, last modified ${durationText((Date.now() - statSync(file).mtimeMs) / 1000)} ago`
  } catch {
    return ''
  }
}

/** The role with the least permissions that can read the feed. */
const MINIMUM_ROLE = 'SYSTEM_MONITOR'
const ASSIGN = `assign only the role ${MINIMUM_ROLE} to the account`
const USE_OTHER = `use an account with only the role ${MINIMUM_ROLE}`

export const roleCheck = systemCheck({
  title: 'role',
  needs: ['account'],
  run: (_, { account }) => {
    const roles = account?.roles ?? []
    const who = `${account?.user ?? 'the account'} has ${roles.join(', ')}`
    const isReader = account !== null && mayRead(account)
    const isMore = roles.some((role) => role !== MINIMUM_ROLE)
    const rows: readonly FindingRow[] = [
      [roles.length === 0, 'info', 'the system does not report the roles of the account'],
      [!isReader, 'fail', `${who}, which cannot read the feed`, ASSIGN],
      [isMore, 'warn', `${who}: more permissions than needed`, USE_OTHER],
    ]
    return [firstOf(undefined, rows, 'ok', who)]
  },
})
