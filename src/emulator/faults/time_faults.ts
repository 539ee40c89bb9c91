import { type FaultRow, SECONDS } from './fault.ts'

const DAY = 86_400

/** Faults of clocks: what the samples say about when they were taken. */
export const TIME_FAULTS = {
  'future-time': {
    help: 'samples carry times that lie in the future',
    argument: SECONDS(DAY),
    effect: { stage: 'clock', now: (now, _since, seconds) => now + Math.floor(Number(seconds)) },
  },
  'ancient-time': {
    help: 'samples are old, as if statistics had stopped long ago',
    argument: SECONDS(55 * DAY),
    effect: { stage: 'clock', now: (now, _since, seconds) => Math.max(0, now - Math.floor(Number(seconds))) },
  },
  frozen: {
    help: 'the time of the samples stands still from now on',
    effect: { stage: 'clock', now: (_now, since) => since },
  },
  'clock-back': {
    help: 'the clock of the system goes back, in the samples and in the Date header',
    argument: SECONDS(3_600),
    effect: {
      stage: 'clock',
      now: (now, _since, seconds) => Math.max(0, now - Math.floor(Number(seconds))),
      dateHeader: true,
    },
  },
  'expire-tokens': {
    help: 'every token dies now, or each after so many requests; a new login brings a good one',
    argument: { name: 'REQUESTS', fallback: '0', pattern: /^\d{1,6}$/ },
    effect: { stage: 'tokens', uses: Number },
  },
} as const satisfies Record<string, FaultRow>
