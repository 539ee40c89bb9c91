import { SECONDS_PER_DAY } from '../../time_units.ts'
import { type FaultRow, secondsArgument } from './fault.ts'

/** Faults of the time of samples, and of the lifetime of tokens. */
export const TIME_FAULTS = {
  'future-time': {
    help: 'samples have times in the future',
    argument: secondsArgument(SECONDS_PER_DAY),
    clock: (now, _since, seconds) => now + Math.floor(Number(seconds)),
  },
  'ancient-time': {
    help: 'samples are old',
    argument: secondsArgument(55 * SECONDS_PER_DAY),
    clock: earlier,
  },
  frozen: {
    help: 'the time of the samples stops at the activation of the fault',
    clock: (_now, since) => since,
  },
  'clock-back': {
    help: 'the clock of the system is set back, for samples and Date header',
    argument: secondsArgument(3_600),
    clock: earlier,
    changesDateHeader: true,
  },
  'expire-tokens': {
    help: 'revokes all tokens now, or limits each token to so many requests; a new login creates a valid token',
    argument: { name: 'REQUESTS', fallback: '0', pattern: /^\d{1,6}$/ },
    tokenUses: Number,
  },
} as const satisfies Record<string, FaultRow>

function earlier(now: number, _since: number, seconds: string): number {
  return Math.max(0, now - Math.floor(Number(seconds)))
}
