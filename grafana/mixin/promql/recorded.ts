import { EXTERNAL_LABELS } from '../settings.ts'
import { type Expression, type Matcher, select } from './expression.ts'
import type { RecordedName } from './metrics.ts'
import { dedup } from './operators.ts'

/** Labels whose names have an underscore, which also separates the labels of a level. */
const LONG_NAMES = ['error_type', 'replication_group'] as const

/** The labels of a recorded series, by its level: `system_pool_error_type:…` has system, pool and error_type. */
export const labelsOfRecorded = (name: RecordedName): string[] => {
  const [level = ''] = name.split(':')
  return LONG_NAMES.reduce((text, long) => text.replace(long, long.replace('_', '-')), level)
    .split('_')
    .map((label) => label.replace('-', '_'))
}

/**
 * The selector of a recorded series within the scope of a dashboard. Matchers of labels that it does not have are left
 * out: no recorded series has `job`, and those of pools have no `node`.
 */
export const recordedSelector = (
  name: RecordedName,
  scope: readonly Matcher[],
  ...matchers: readonly Matcher[]
): Expression => {
  const labels = [...EXTERNAL_LABELS, ...labelsOfRecorded(name)]
  const selected = scope.filter((matcher) => labels.some((label) => matcher.startsWith(`${label}=`)))
  return select(name, ...selected, ...matchers)
}

/**
 * The recorded series with the labels of its level only. A store of several Prometheus servers adds labels, by which it
 * would not match what is calculated from scraped series.
 */
export const recorded = (...selected: Parameters<typeof recordedSelector>): Expression =>
  dedup(labelsOfRecorded(selected[0]), recordedSelector(...selected))
