import { API_ERRORS } from '../protocol/errors.ts'
import { CONTENT_TYPES } from '../protocol/format.ts'
import { ALLOWED_OPERATIONS } from '../query/flux/pipeline.ts'
import { choiceArgument, type FaultRow, type FullResponse, secondsArgument } from './fault.ts'

const { code, description } = API_ERRORS.noPermission
/** Errors of the query interface, by the argument of the fault: status and body. */
const ERRORS: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
  role: [API_ERRORS.noPermission.status, { code, description, retryable: false }],
  compile: [500, { error: 'failed to compile query: loc 1:1: this error is made on purpose' }],
  internal: [500, { error: 'internal error: this error is made on purpose' }],
  timeout: [500, { error: 'query timed out' }],
  media: [406, { error: 'unsupported response media type: application/json' }],
}

/** Faults of the query interface, besides those of the rows. They have no effect on other requests. */
export const QUERY_FAULTS = {
  'query-error': {
    help: 'responds to queries with an error: missing role, compile error, internal error, timeout, or media type',
    argument: choiceArgument(Object.keys(ERRORS), 'compile'),
    operation: 'query',
    effect: { stage: 'replace', respond: errorResponse },
  },
  'refused-operation': {
    help: 'refuses queries with this operation, in the words of the list of allowed operations',
    argument: choiceArgument(ALLOWED_OPERATIONS.slice(1), 'keep'),
    effect: { stage: 'settings', settings: (name) => ({ refusedOperations: [name] }) },
  },
  'combined-refused': {
    help: 'refuses queries that return several measurements',
    effect: { stage: 'settings', settings: () => ({ refusesCombined: true }) },
  },
  'combined-empty': {
    help: 'responds to queries that return several measurements without rows, as ECS 3.8.1.1',
    effect: { stage: 'settings', settings: () => ({ emptiesCombined: true }) },
  },
  'measurement-error': {
    help: 'responds to queries that return this measurement with an internal error',
    argument: { name: 'MEASUREMENT', fallback: 'cpu', pattern: /^\w{1,100}$/ },
    effect: { stage: 'settings', settings: (name) => ({ failingMeasurement: name }) },
  },
  'absolute-refused': {
    help: 'refuses queries with absolute times in range; it is unknown which real systems do',
    effect: { stage: 'settings', settings: () => ({ refusesAbsolute: true }) },
  },
  'point-interval': {
    help: 'points come at another interval, as on large systems',
    argument: secondsArgument(900),
    effect: {
      stage: 'settings',
      settings: (seconds) => ({ intervalSeconds: Math.max(Math.floor(Number(seconds)), 1) }),
    },
  },
  'stale-points': {
    help: 'points become visible later; the newest ones are at least so old',
    argument: secondsArgument(900),
    effect: { stage: 'settings', settings: (seconds) => ({ delaySeconds: Math.floor(Number(seconds)) }) },
  },
} as const satisfies Record<string, FaultRow>

function errorResponse(kind: string): FullResponse {
  const [status, body] = ERRORS[kind] ?? [500, {}]
  return {
    status,
    headers: { 'Content-Type': CONTENT_TYPES.json },
    body: Buffer.from(JSON.stringify(body)),
  }
}
