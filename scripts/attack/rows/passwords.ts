import { attackerAddress, flood } from '../clients.ts'
import { request } from '../requests.ts'
import type { Row } from '../row.ts'

const PARALLEL = 32
const ADDRESSES = 2000
/** Shorter than the time in which an attack must end. */
const TIMEOUT_MS = 3000

export const PASSWORDS: readonly Row[] = [
  {
    name: 'passwords',
    sent: `guesses of the password of \`/metrics\` from ${ADDRESSES.toLocaleString('en')} addresses, ${PARALLEL} at a time`,
    setup: { web: 'users' },
    async attack({ url }, signal) {
      const statuses = new Map<number, number>()
      const runs = await flood(PARALLEL, signal, async (run) => {
        const Authorization = `Basic ${Buffer.from(`prometheus:guess-${run}`).toString('base64')}`
        const from = attackerAddress(run % ADDRESSES)
        const { status } = await request(`${url}/metrics`, {
          headers: { Authorization },
          from,
          timeoutMs: TIMEOUT_MS,
        })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      })
      return {
        note: `${runs} guesses`,
        problems: statuses.has(200) ? ['a wrong password was accepted'] : [],
      }
    },
  },
]
