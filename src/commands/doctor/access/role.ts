import { decodeUser } from '../../../api/providers/whoami.ts'
import { systemCheck } from '../check/system_facts.ts'

/** Each of these roles can read the feed. */
const READING_ROLES = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']
/** The role with the least permissions that can read the feed. */
const MINIMUM_ROLE = 'SYSTEM_MONITOR'

export const roleCheck = systemCheck({
  title: 'role',
  needs: ['whoami'],
  run: (_, { whoami }) => {
    const roles = whoami === null ? [] : rolesOf(whoami)
    if (roles.length === 0) {
      return { findings: [{ status: 'info', text: 'the system does not report the roles of the account' }] }
    }
    const who = `${decodeUser(whoami ?? '') ?? 'the account'} has ${roles.join(', ')}`
    if (!roles.some((role) => READING_ROLES.includes(role))) {
      const text = `${who}, which cannot read the feed`
      return {
        findings: [{ status: 'fail', text, remedy: `assign only the role ${MINIMUM_ROLE} to the account` }],
      }
    }
    if (roles.every((role) => role === MINIMUM_ROLE)) return { findings: [{ status: 'ok', text: who }] }
    const text = `${who}: more permissions than needed`
    return {
      findings: [{ status: 'warn', text, remedy: `use an account with only the role ${MINIMUM_ROLE}` }],
    }
  },
})

const MAX_ROLES = 50

/** The roles in a whoami response, JSON or XML; empty if there are none. */
export function rolesOf(text: string): string[] {
  const listed = text.trimStart().startsWith('<') ? xmlRoles(text) : jsonRoles(text)
  return listed.filter((role) => /^\w{1,64}$/.test(role)).slice(0, MAX_ROLES)
}

function jsonRoles(text: string): string[] {
  try {
    const body = JSON.parse(text) as { roles?: unknown } | null
    return Array.isArray(body?.roles) ? body.roles.map(String) : []
  } catch {
    return []
  }
}

function xmlRoles(text: string): string[] {
  return [...text.matchAll(/<role>([^<]{1,64})<\/role>/g)].map(([, role = '']) => role.trim())
}
