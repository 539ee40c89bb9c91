import { type FaultRow, secondsArgument } from './fault.ts'

const DAY = 86_400

/** Faults of the time of samples, and of the lifetime of tokens. */
export const TIME_FAULTS = {
  'future-time': {
    help: 'samples have times in the future',
    argument: secondsArgument(DAY),
    effect: { stage: 'clock', now: (now, _since, seconds) => now + Math.floor(Number(seconds)) },
  },
  'ancient-time': {
    help: 'samples are old',
    argument: secondsArgument(55 * DAY),
    effect: { stage: 'clock', now: (now, _since, seconds) => Math.max(0, now - Math.floor(Number(seconds))) },
  },
  frozen: {
    help: 'the time of the samples stops at the activation of the fault',
    effect: { stage: 'clock', now: (_now, since) => since },
  },
  'clock-back': {
    help: 'the clock of the system is set back, for samples and Date header',
    argument: secondsArgument(3_600),
    effect: {
      stage: 'clock',
      now: (now, _since, seconds) => Math.max(0, now - Math.floor(Number(seconds))),
      dateHeader: true,
    },
  },
  'expire-tokens': {
    help: 'revokes all tokens now, or limits each token to so many requests; a new login creates a valid token',
    argument: { name: 'REQUESTS', fallback: '0', pattern: /^\d{1,6}$/ },
    effect: { stage: 'tokens', uses: Number },
  },
} as const satisfies Record<string, FaultRow>
