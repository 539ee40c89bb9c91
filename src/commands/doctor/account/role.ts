import { decodeUser } from '../../../api/providers/whoami.ts'
import { systemCheck } from '../check/system_facts.ts'

/** Either of them may read the feed. */
const READING_ROLES = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']
/** What reading needs, and no more. */
const ENOUGH = 'SYSTEM_MONITOR'

export const roleCheck = systemCheck({
  title: 'role',
  needs: ['whoami'],
  run: (_, { whoami }) => {
    const roles = whoami === null ? [] : rolesOf(whoami)
    if (roles.length === 0) {
      return { findings: [{ status: 'info', text: 'the system does not tell the roles of the account' }] }
    }
    const who = `${decodeUser(whoami ?? '') ?? 'the account'} has ${roles.join(', ')}`
    if (!roles.some((role) => READING_ROLES.includes(role))) {
      const text = `${who}, which does not let it read the feed`
      return {
        findings: [{ status: 'fail', text, remedy: `give the account the role ${ENOUGH}, and no more` }],
      }
    }
    if (roles.every((role) => role === ENOUGH)) return { findings: [{ status: 'ok', text: who }] }
    const text = `${who}: more than reading needs`
    return { findings: [{ status: 'warn', text, remedy: `use an account with ${ENOUGH} alone` }] }
  },
})

const MAX_ROLES = 50

/** The roles in an answer of whoami, in JSON or XML; none where there are none that can be read. */
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
