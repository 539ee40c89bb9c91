import { type FindingRow, firstOf } from '../check/check.ts'
import { systemCheck } from '../check/system_facts.ts'

/** Each of these roles can read the feed. */
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
