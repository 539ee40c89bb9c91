import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { ALLOWED_OPERATIONS } from '../query/flux/pipeline.ts'
import { choiceArgument, countArgument, type FaultRow, secondsArgument } from './fault.ts'

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

/** Faults that the storage system itself makes: of the history, of queries, of lists and of single resources. */
export const SETTINGS_FAULTS = {
  'history-gaps': {
    help: 'the history lacks the points of the first SECONDS of every day (UTC)',
    argument: secondsArgument(SECONDS_PER_HOUR),
    settings: (seconds) => ({ gapSeconds: Number(seconds) }),
  },
  'late-points': {
    help: 'points of the history appear SECONDS after their time',
    argument: secondsArgument(SECONDS_PER_HOUR),
    settings: (seconds) => ({ lateSeconds: Number(seconds) }),
  },
  'unordered-history': {
    help: 'points of the history are not in the order of time, and the first one occurs twice',
    settings: () => ({ isUnordered: true }),
  },
  'fixed-history': {
    help: 'startTime, endTime and interval have no effect: the history has hourly points of the last five days',
    settings: () => ({ ignoresRange: true }),
  },
  'no-history': {
    help: 'the history of this attribute is a single 0 at the time of the response, as on ObjectScale 4.3',
    argument: { name: 'ATTRIBUTE', fallback: 'diskSpaceFree', pattern: /^\w{1,100}$/ },
    settings: (attribute) => ({ withoutHistory: attribute }),
  },
  'strict-forecasts': {
    help: 'forecasts are served for category=capacityForecast only without dataType, or only with dataType=current',
    argument: choiceArgument(['category', 'current'], 'category'),
    settings: (form) => ({ forecastsOnly: form === 'current' ? 'current' : 'category' }),
  },
  'refused-operation': {
    help: 'refuses queries with this operation, in the words of the list of allowed operations',
    argument: choiceArgument(ALLOWED_OPERATIONS.slice(1), 'keep'),
    settings: (name) => ({ refusedOperations: [name] }),
  },
  'combined-refused': {
    help: 'refuses queries that return several measurements',
    settings: () => ({ refusesCombined: true }),
  },
  'combined-empty': {
    help: 'responds to queries that return several measurements without rows, as ECS 3.8.1.1',
    settings: () => ({ emptiesCombined: true }),
  },
  'measurement-error': {
    help: 'responds to queries that return this measurement with an internal error',
    argument: { name: 'MEASUREMENT', fallback: 'cpu', pattern: /^\w{1,100}$/ },
    settings: (name) => ({ failingMeasurement: name }),
  },
  'absolute-refused': {
    help: 'refuses queries with absolute times in range; it is unknown which real systems do',
    settings: () => ({ refusesAbsolute: true }),
  },
  'point-interval': {
    help: 'points come at another interval, as on large systems',
    argument: secondsArgument(900),
    settings: (seconds) => ({ intervalSeconds: Math.max(Math.floor(Number(seconds)), 1) }),
  },
  'stale-points': {
    help: 'points become visible later; the newest ones are at least so old',
    argument: secondsArgument(900),
    settings: (seconds) => ({ delaySeconds: Math.floor(Number(seconds)) }),
  },
  'page-error': {
    help: 'all pages of a list but the first one fail with an error',
    settings: () => ({ failsAfterFirstPage: true }),
  },
  'repeated-marker': {
    help: 'the second page of a list refers to itself as the next one',
    settings: () => ({ repeatsMarker: true }),
  },
  license: {
    help: 'the license has expired, or expires in 20 days',
    argument: choiceArgument(['expiring', 'expired'], 'expired'),
    settings: (kind) => ({ license: kind === 'expired' ? 'expired' : 'expiring' }),
  },
  'unready-tables': {
    help: 'so many directory tables are not ready, by the query interface',
    argument: countArgument('TABLES', 8),
    settings: (tables) => ({ unreadyTables: Number(tables) }),
  },
} as const satisfies Record<string, FaultRow>
