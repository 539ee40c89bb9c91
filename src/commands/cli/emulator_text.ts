import { ACCOUNTS, PASSWORD } from '../../emulator/http/accounts.ts'

/** URL, pools and accounts of the emulator, for the terminal. */
export function describeEmulator(
  url: string,
  pools: readonly { readonly id: string; readonly name: string }[],
): string {
  return `Emulated storage system: ${url}
${describeContents(pools)}`
}

/** Pools and accounts of an emulator. */
export function describeContents(pools: readonly { readonly id: string; readonly name: string }[]): string {
  const users = Object.entries(ACCOUNTS).map(
    ([user, { token, role }]) => `  ${token}   ${role}, or user ${user} with password ${PASSWORD}`,
  )
  return `Pools:
${pools.map(({ id, name }) => `  ${id}   ${name}`).join('\n')}
Tokens, for the header X-SDS-AUTH-TOKEN:
${users.join('\n')}
`
}
