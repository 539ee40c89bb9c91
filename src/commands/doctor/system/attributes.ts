import type { FeedReading } from '../../../api/feed/feed.ts'
import {
  type Category,
  COVERAGE_ATTRIBUTES,
  type CoverageAttribute,
  PERFORMANCE_CATEGORIES,
} from '../../../catalogue.ts'
import { CATEGORY_OF } from '../../../status/pool_detail.ts'
import { allOf, type Finding, type FindingRow } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

/** All attributes except forecasts, which have their own check. */
const GROUPS = ([undefined, 'capacity', ...PERFORMANCE_CATEGORIES] as const).map(
  (category) => [category ?? 'identity', attributesOf(category)] as const,
)
const PERFORMANCE: readonly string[] = PERFORMANCE_CATEGORIES

/** @param category undefined: those that identify a node and its health */
function attributesOf(category: Category | undefined): CoverageAttribute[] {
  return COVERAGE_ATTRIBUTES.filter((name) => CATEGORY_OF.get(name) === category)
}

/** Checks which attributes the nodes serve; a missing attribute explains an empty panel. */
export const attributesCheck = systemCheck({
  title: 'attributes',
  needs: ['feeds'],
  run: (_, { feeds }) => feeds.filter(({ reading }) => reading.nodes.length > 0).flatMap(coverageOf),
})

function coverageOf({ label: subject, reading }: RawFeed): Finding[] {
  const groups = GROUPS.map(([group, attributes]) => ({ group, ...countsOf(reading, attributes) }))
  const isPerformance = (group: string) => PERFORMANCE.includes(group)
  const isModern = groups.every(({ group, served }) => isPerformance(group) === (served === 0))
  return allOf(subject, [
    [true, 'ok', groups.map(({ group, text }) => `${group} ${text}`).join(', ')],
    [isModern, 'info', MODERN],
    ...groups.map(({ group, served, absent }): FindingRow => {
      const isIncomplete = absent.length > 0 && (served > 0 || !isPerformance(group))
      const text = `${group}: missing ${absent.join(', ')}`
      return served > 0 ? [isIncomplete, 'info', text] : [isIncomplete, 'warn', text, COMPARE]
    }),
  ])
}

const MODERN =
  'performance attributes are not served: systems since version 3.6 serve them in the query interface only'
const COMPARE = 'compare with the management interface; panels and alerts of these attributes have no data'

/** How many of the performance attributes are there: `health 9 of 9, traffic 5 of 7, diskIO 14 of 14`. */
export function performanceCoverage(reading: Pick<FeedReading, 'coverage'>): string {
  const textOf = (category: Category) => countsOf(reading, attributesOf(category)).text
  return PERFORMANCE_CATEGORIES.map((category) => `${category} ${textOf(category)}`).join(', ')
}

/** An attribute is served if at least one node serves it. */
function countsOf({ coverage }: Pick<FeedReading, 'coverage'>, attributes: readonly CoverageAttribute[]) {
  const absent = attributes.filter((attribute) => (coverage.get(attribute)?.served ?? 0) === 0)
  const served = attributes.length - absent.length
  return { served, absent, text: `${served} of ${attributes.length}` }
}
