import { ACCOUNTS, PASSWORD } from '../../emulator/http/accounts.ts'
import type { ReachableUrl } from './external_address.ts'

/**
 * URL, pools and accounts of the emulator, for the terminal.
 * @param reachable undefined: clients cannot reach it
 */
export function describeEmulator(
  reachable: ReachableUrl | undefined,
  pools: readonly { readonly id: string; readonly name: string }[],
): string {
  const users = Object.entries(ACCOUNTS).map(
    ([user, { token, role }]) => `  ${token}   ${role}, or user ${user} with password ${PASSWORD}`,
  )
  const note = reachable?.note === undefined ? '' : `\n${reachable.note}`
  const where =
    reachable?.url ?? 'the listen address is one of the container only; start it with --listen-address=:4443'
  return `Emulated storage system: ${where}${note}
Pools:
${pools.map(({ id, name }) => `  ${id}   ${name}`).join('\n')}
Tokens, for the header X-SDS-AUTH-TOKEN:
${users.join('\n')}
`
}
