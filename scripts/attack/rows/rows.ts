import { pause } from '../clients.ts'
import type { Row } from '../row.ts'
import { ADMINISTRATION } from './administration.ts'
import { HOSTILE_ANSWERS } from './answers.ts'
import { HOSTILE_BODIES } from './bodies.ts'
import { ODD_CONNECTIONS, PIPELINING } from './connections.ts'
import { FLOODS } from './floods.ts'
import { MALFORMED } from './malformed.ts'
import { NAMES } from './names.ts'
import { PASSWORDS } from './passwords.ts'
import { SECRETS_QUOTED } from './secrets.ts'
import { SIGNALS_AND_RELOADS } from './signals.ts'
import { SLOW } from './slow.ts'
import { VALUES } from './values.ts'

const NONE: Row = {
  name: 'none',
  sent: 'nothing, to compare with',
  async attack(_target, signal) {
    await pause(60_000, signal)
    return undefined
  },
}

/** All attacks, in the order of the table. */
export const ROWS: readonly Row[] = [
  NONE,
  ...PIPELINING,
  ...ODD_CONNECTIONS,
  ...SLOW,
  ...HOSTILE_BODIES,
  ...HOSTILE_ANSWERS,
  ...VALUES,
  ...SECRETS_QUOTED,
  ...FLOODS,
  ...NAMES,
  ...PASSWORDS,
  ...ADMINISTRATION,
  ...MALFORMED,
  ...SIGNALS_AND_RELOADS,
]
