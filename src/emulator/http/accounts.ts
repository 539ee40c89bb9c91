import type { Role } from '../protocol/operations.ts'

/** The accounts of the emulator, each with a permanent token; all have {@link PASSWORD}. */
export const ACCOUNTS = {
  monitor: { role: 'SYSTEM_MONITOR', token: 'emulator-monitor' },
  admin: { role: 'SYSTEM_ADMIN', token: 'emulator-admin' },
  security: { role: 'SECURITY_ADMIN', token: 'emulator-security' },
} as const satisfies Record<string, { readonly role: Role; readonly token: string }>
export type User = keyof typeof ACCOUNTS

export const PASSWORD = 'emulator'
