import { choiceArgument, type FaultRow, secondsArgument } from './fault.ts'

const HOUR = 3_600

/** Faults of the history in the nodes feed. Current values stay as they are. */
export const HISTORY_FAULTS = {
  'history-gaps': {
    help: 'the history lacks the points of the first SECONDS of every day (UTC)',
    argument: secondsArgument(HOUR),
    effect: { stage: 'settings', settings: (seconds) => ({ gapSeconds: Number(seconds) }) },
  },
  'late-points': {
    help: 'points of the history appear SECONDS after their time',
    argument: secondsArgument(HOUR),
    effect: { stage: 'settings', settings: (seconds) => ({ lateSeconds: Number(seconds) }) },
  },
  'unordered-history': {
    help: 'points of the history are not in the order of time, and the first one occurs twice',
    effect: { stage: 'settings', settings: () => ({ isUnordered: true }) },
  },
  'fixed-history': {
    help: 'startTime, endTime and interval have no effect: the history has hourly points of the last five days',
    effect: { stage: 'settings', settings: () => ({ ignoresRange: true }) },
  },
  'no-history': {
    help: 'the history of this attribute is a single 0 at the time of the response, as on ObjectScale 4.3',
    argument: { name: 'ATTRIBUTE', fallback: 'diskSpaceFree', pattern: /^\w{1,100}$/ },
    effect: { stage: 'settings', settings: (attribute) => ({ withoutHistory: attribute }) },
  },
  'strict-forecasts': {
    help: 'forecasts are served for category=capacityForecast only without dataType, or only with dataType=current',
    argument: choiceArgument(['category', 'current'], 'category'),
    effect: {
      stage: 'settings',
      settings: (form) => ({ forecastsOnly: form === 'current' ? 'current' : 'category' }),
    },
  },
} as const satisfies Record<string, FaultRow>
