import { statSync } from 'node:fs'
import { createClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import type { Reason } from '../../../api/errors/reasons.ts'
import { WHOAMI_PATH } from '../../../api/providers/whoami.ts'
import type { AuthConfig } from '../../../config/config.ts'
import { silentLog } from '../../../log.ts'
import { durationText } from '../../cli/quantities.ts'
import type { CheckOutcome } from '../check/check.ts'
import { asFailure, REMEDIES } from '../check/remedies.ts'
import { type SystemContext, type SystemFacts, systemCheck } from '../check/system_facts.ts'

/** Answers of whoami that say nothing about the token: older systems may not have it. */
const NOT_TOLD: readonly Reason[] = ['not_found', 'forbidden', 'client_error', 'html', 'schema']

/** Logs in, or shows the token, and asks who that is. */
export const loginCheck = systemCheck({
  title: 'login',
  needs: ['answering'],
  run: async (context, { answering }) => {
    const logins: (Reason | 'ok')[] = []
    const client = createDoctorClient(context, answering, (result) => logins.push(result))
    try {
      const whoami = await client.read({ operation: 'pools', path: WHOAMI_PATH }, context.signal)
      return welcome(context, { client, whoami })
    } catch (cause) {
      const isIn = logins.at(-1) === 'ok' || context.system.auth.kind.startsWith('token')
      const isUntold = cause instanceof ApiError && NOT_TOLD.includes(cause.reason)
      if (isIn && isUntold) return welcome(context, { client, whoami: null })
      await client.close()
      context.signal.throwIfAborted()
      return refused(context, asFailure(cause))
    }
  },
})

type Facts = Partial<SystemFacts>

function createDoctorClient(
  { system, config }: SystemContext,
  baseUrls: readonly string[],
  loggedIn: (result: Reason | 'ok') => void,
) {
  return createClient({
    system: { ...system, baseUrls },
    limits: config.limits,
    timeoutMs: config.poll.timeoutMs,
    observer: { loggedIn, exchanged: ignore, clockSkew: ignore, certificate: ignore },
    log: silentLog,
  })
}

const ignore = (): void => undefined

function welcome({ system: { auth } }: SystemContext, facts: Facts): CheckOutcome<SystemFacts> {
  const how = 'username' in auth ? `${auth.username} is logged in` : 'the token is accepted'
  const text = facts.whoami === null ? `${how}, as far as the system tells` : how
  return { findings: [{ status: facts.whoami === null ? 'info' : 'ok', text }], facts }
}

function refused({ system: { auth } }: SystemContext, failure: ApiError): CheckOutcome<SystemFacts> {
  const isAuth = failure.reason === 'auth' || failure.reason === 'forbidden'
  const remedy = isAuth ? remedyFor(auth) : REMEDIES[failure.reason]
  return { findings: [{ status: 'fail', text: failure.detail, remedy }] }
}

const LOCKED =
  'ten wrong logins lock this machine out for ten minutes, and 100 open sessions leave room for no other'
const SHORT_LIVED =
  'tokens live for some hours only, a login (auth.username, auth.password_file) renews itself'

function remedyFor(auth: AuthConfig): string {
  switch (auth.kind) {
    case 'login':
      return `correct auth.username and auth.password, or unlock the account; ${LOCKED}`
    case 'login_file':
      return `correct auth.username and the password in ${auth.file}, or unlock the account; ${LOCKED}`
    case 'token':
      return `put a new token into auth.token; ${SHORT_LIVED}`
    case 'token_file':
      return `put a new token into ${auth.file}${writtenAgo(auth.file)}; ${SHORT_LIVED}`
    default:
      return auth satisfies never
  }
}

function writtenAgo(file: string): string {
  try {
    return `, which was written ${durationText((Date.now() - statSync(file).mtimeMs) / 1000)} ago`
  } catch {
    return ''
  }
}
