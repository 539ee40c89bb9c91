import { ACCOUNTS, PASSWORD } from '../../emulator/http/accounts.ts'

/** URL, pools and accounts of the emulator, for the terminal. */
export function describeEmulator(
  url: string,
  pools: readonly { readonly id: string; readonly name: string }[],
): string {
  const users = Object.entries(ACCOUNTS).map(
    ([user, { token, role }]) => `  ${token}   ${role}, or user ${user} with password ${PASSWORD}`,
  )
  return `Emulated storage system: ${url}
Pools:
${pools.map(({ id, name }) => `  ${id}   ${name}`).join('\n')}
Tokens, for the header X-SDS-AUTH-TOKEN:
${users.join('\n')}
`
}
