import { statSync } from 'node:fs'
import type { SystemClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import { REASONS, type Reason } from '../../../api/errors/reasons.ts'
import { type Account, decodeAccount, WHOAMI_PATH } from '../../../api/providers/whoami.ts'
import type { AuthConfig } from '../../../config/config.ts'
import { durationText } from '../../../text.ts'
import { createCommandClient } from '../../cli/systems.ts'
import {
  asFailure,
  type CheckResult,
  type Finding,
  type FindingRow,
  failed,
  firstOf,
} from '../check/check.ts'
import { type SystemContext, type SystemFacts, systemCheck } from '../check/system_facts.ts'

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
      const request = { operation: 'pools', path: WHOAMI_PATH } as const
      return accepted(context, client, await client.read(request, decodeAccount, context.signal))
    } catch (cause) {
      const isLoggedIn = logins.at(-1) === 'ok' || context.system.auth.kind.startsWith('token')
      // Older systems may not support whoami.
      const isUnsupported = cause instanceof ApiError && REASONS[cause.reason].unsupported === true
      if (isLoggedIn && isUnsupported) return accepted(context, client, null)
      await client.close()
      context.signal.throwIfAborted()
      return refused(context, asFailure(cause))
    }
  },
})

function accepted(
  { system: { auth } }: SystemContext,
  client: SystemClient,
  account: Account | null,
): CheckResult<SystemFacts> {
  const how = 'username' in auth ? `${auth.username} is logged in` : 'the token is accepted'
  const without = `${how}, but the system does not support whoami`
  return {
    findings: [firstOf(undefined, [[account === null, 'info', without]], 'ok', how)],
    facts: { client, account },
  }
}

function refused({ system: { auth } }: SystemContext, failure: ApiError): Finding[] {
  const isAuth = failure.reason === 'auth' || failure.reason === 'forbidden'
  return [failed(failure, isAuth ? { remedy: remedyFor(auth) } : {})]
}

const LOCKED = '10 failed logins block this machine for 10 minutes; at most 100 sessions can be open'
const SHORT_LIVED =
  'tokens expire after some hours; use auth.username and auth.password_file to renew them automatically'

function remedyFor(auth: AuthConfig): string {
  const file = 'file' in auth ? auth.file : ''
  const remedies = {
    login: `correct auth.username and auth.password, or unlock the account; ${LOCKED}`,
    login_file: `correct auth.username and the password in ${file}, or unlock the account; ${LOCKED}`,
    token: `set auth.token to a new token; ${SHORT_LIVED}`,
    token_file: `write a new token to ${file}${writtenAgo(file)}; ${SHORT_LIVED}`,
  }
  return remedies[auth.kind]
}

function writtenAgo(file: string): string {
  try {
    return `, last modified ${durationText((Date.now() - statSync(file).mtimeMs) / 1000)} ago`
  } catch {
    return ''
  }
}

const READING_ROLES = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']
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
    const isReader = roles.some((role) => READING_ROLES.includes(role))
    const isMore = roles.some((role) => role !== MINIMUM_ROLE)
    const rows: readonly FindingRow[] = [
      [roles.length === 0, 'info', 'the system does not report the roles of the account'],
      [!isReader, 'fail', `${who}, which cannot read the feed`, ASSIGN],
      [isMore, 'warn', `${who}: more permissions than needed`, USE_OTHER],
    ]
    return [firstOf(undefined, rows, 'ok', who)]
  },
})
