import { pause } from '../clients.ts'
import type { Row } from '../row.ts'
import { PIPELINING } from './pipelining.ts'

/** All attacks, in the order of the table. */
export const ROWS: readonly Row[] = [
  {
    name: 'none',
    sent: 'nothing, to compare with',
    async attack(_target, signal) {
      await pause(60_000, signal)
      return undefined
    },
  },
  ...PIPELINING,
]
