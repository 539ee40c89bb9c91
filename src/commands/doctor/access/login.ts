import { statSync } from 'node:fs'
import { createClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import { REASONS, type Reason } from '../../../api/errors/reasons.ts'
import { WHOAMI_PATH } from '../../../api/providers/whoami.ts'
import type { AuthConfig } from '../../../config/config.ts'
import { silentLog } from '../../../log.ts'
import { durationText } from '../../../text.ts'
import type { CheckOutcome } from '../check/check.ts'
import { asFailure } from '../check/remedies.ts'
import { type SystemContext, type SystemFacts, systemCheck } from '../check/system_facts.ts'

/** Logs in, or uses the token, and reads whoami. */
export const loginCheck = systemCheck({
  title: 'login',
  needs: ['answering'],
  run: async (context, { answering }) => {
    const logins: (Reason | 'ok')[] = []
    const client = createDoctorClient(context, answering, (result) => logins.push(result))
    try {
      const whoami = await client.read(
        { operation: 'pools', path: WHOAMI_PATH },
        (text) => text,
        context.signal,
      )
      return accepted(context, { client, whoami })
    } catch (cause) {
      const isLoggedIn = logins.at(-1) === 'ok' || context.system.auth.kind.startsWith('token')
      // Older systems may not support whoami.
      const isUnsupported = cause instanceof ApiError && REASONS[cause.reason].unsupported === true
      if (isLoggedIn && isUnsupported) return accepted(context, { client, whoami: null })
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

function accepted({ system: { auth } }: SystemContext, facts: Facts): CheckOutcome<SystemFacts> {
  const how = 'username' in auth ? `${auth.username} is logged in` : 'the token is accepted'
  const text = facts.whoami === null ? `${how}, but the system does not support whoami` : how
  return { findings: [{ status: facts.whoami === null ? 'info' : 'ok', text }], facts }
}

function refused({ system: { auth } }: SystemContext, failure: ApiError): CheckOutcome<SystemFacts> {
  const isAuth = failure.reason === 'auth' || failure.reason === 'forbidden'
  const remedy = isAuth ? remedyFor(auth) : failure.remedy
  return { findings: [{ status: 'fail', text: failure.detail, remedy }] }
}

const LOCKED = '10 failed logins block this machine for 10 minutes; at most 100 sessions can be open'
const SHORT_LIVED =
  'tokens expire after some hours; use auth.username and auth.password_file to renew them automatically'

function remedyFor(auth: AuthConfig): string {
  switch (auth.kind) {
    case 'login':
      return `correct auth.username and auth.password, or unlock the account; ${LOCKED}`
    case 'login_file':
      return `correct auth.username and the password in ${auth.file}, or unlock the account; ${LOCKED}`
    case 'token':
      return `set auth.token to a new token; ${SHORT_LIVED}`
    case 'token_file':
      return `write a new token to ${auth.file}${writtenAgo(auth.file)}; ${SHORT_LIVED}`
    default:
      return auth satisfies never
  }
}

function writtenAgo(file: string): string {
  try {
    return `, last modified ${durationText((Date.now() - statSync(file).mtimeMs) / 1000)} ago`
  } catch {
    return ''
  }
}
