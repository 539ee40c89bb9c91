/** Roles of the storage system (API document, "Authentication"). */
export type Role = 'SYSTEM_MONITOR' | 'SYSTEM_ADMIN' | 'SECURITY_ADMIN'

interface AccountRow {
  readonly role: Role
  /** A permanent token, valid without a login. */
  readonly token: string
}

/** The accounts of the emulator; all have {@link PASSWORD}. */
export const ACCOUNTS = {
  monitor: { role: 'SYSTEM_MONITOR', token: 'emulator-monitor' },
  admin: { role: 'SYSTEM_ADMIN', token: 'emulator-admin' },
  security: { role: 'SECURITY_ADMIN', token: 'emulator-security' },
} as const satisfies Record<string, AccountRow>
export type User = keyof typeof ACCOUNTS

export const PASSWORD = 'emulator'

export function isUser(name: string): name is User {
  return Object.hasOwn(ACCOUNTS, name)
}

export const ANY_ROLE: readonly Role[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN', 'SECURITY_ADMIN']
export const DASHBOARD_ROLES: readonly Role[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']
/** The API document does not name the role for deletions; real systems require this one. */
export const DELETE_ROLES: readonly Role[] = ['SECURITY_ADMIN']
