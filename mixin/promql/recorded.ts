import { type Expression, type Matcher, select } from './expression.ts'
import type { RecordedName } from './metrics.ts'

/** The labels of a recorded series, by its level: `system_pool_error_type:…` has system, pool and error_type. */
export const labelsOfRecorded = (name: RecordedName): string[] => {
  const [level = ''] = name.split(':')
  return level
    .replace('error_type', 'error-type')
    .split('_')
    .map((label) => label.replace('-', '_'))
}

/**
 * A recorded series within the scope of a dashboard. Matchers of labels that it does not have are left out: no recorded
 * series has `job`, and those of pools have no `node`.
 */
export const recorded = (
  name: RecordedName,
  scope: readonly Matcher[],
  ...matchers: readonly Matcher[]
): Expression => {
  const labels = labelsOfRecorded(name)
  const selected = scope.filter((matcher) => labels.some((label) => matcher.startsWith(`${label}=`)))
  return select(name, ...selected, ...matchers)
}
