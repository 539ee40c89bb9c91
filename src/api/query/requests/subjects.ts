import { MEASUREMENTS } from '../../../query_catalogue.ts'
import type { FieldSeries } from '../answers/answer.ts'
import type { Query } from './queries.ts'

/** Measurements whose figures are calculated together, by what they are about. All others are disk I/O. */
const SUBJECTS = {
  CPU: [MEASUREMENTS.cpu],
  memory: [MEASUREMENTS.memory],
  network: [MEASUREMENTS.network],
  throughput: [MEASUREMENTS.throughput],
  latency: [MEASUREMENTS.latency],
  transactions: [MEASUREMENTS.transactions, MEASUREMENTS.errors, MEASUREMENTS.errorCodes],
} as const satisfies Record<string, readonly { readonly name: string }[]>

/** What figures are about: those of different subjects do not depend on each other. */
export type Subject = keyof typeof SUBJECTS | 'disk I/O'

const BY_MEASUREMENT = new Map<string, Subject>(
  Object.entries(SUBJECTS).flatMap(([subject, measurements]) =>
    measurements.map(({ name }): [string, Subject] => [name, subject as Subject]),
  ),
)

export function subjectOf({ measurement }: Pick<FieldSeries, 'measurement'>): Subject {
  return BY_MEASUREMENT.get(measurement) ?? 'disk I/O'
}

/** The subjects whose figures need the answer to a query. */
export function subjectsOf({ selections }: Pick<Query, 'selections'>): ReadonlySet<Subject> {
  return new Set(
    selections.map(({ measurement }) =>
      measurement === undefined ? 'disk I/O' : subjectOf({ measurement: MEASUREMENTS[measurement].name }),
    ),
  )
}
