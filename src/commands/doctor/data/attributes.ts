import type { FeedReading } from '../../../api/feed/feed.ts'
import {
  ATTRIBUTES,
  type Category,
  type CoverageAttribute,
  DISK_COUNTS,
  PERFORMANCE_CATEGORIES,
  TRANSACTION_ERRORS,
} from '../../../catalogue.ts'
import type { Finding } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

interface Group {
  readonly group: string
  readonly attributes: readonly CoverageAttribute[]
}

/** All attributes except forecasts, which have their own check. */
const GROUPS: readonly Group[] = [
  {
    group: 'identity',
    attributes: ['healthStatus', 'numDisks', ...Object.keys(DISK_COUNTS)] as CoverageAttribute[],
  },
  ...(['capacity', ...PERFORMANCE_CATEGORIES] as const).map((category) => ({
    group: category,
    attributes: attributesOf(category),
  })),
]

function attributesOf(category: Category): CoverageAttribute[] {
  const flat: CoverageAttribute[] = ATTRIBUTES.filter((row) => row.category === category).map(
    ({ name }) => name,
  )
  return category === TRANSACTION_ERRORS.category ? [...flat, TRANSACTION_ERRORS.name] : flat
}

/** Checks which attributes the nodes serve; a missing attribute explains an empty panel. */
export const attributesCheck = systemCheck({
  title: 'attributes',
  needs: ['feeds'],
  run: (_, { feeds }) => ({
    findings: feeds.filter(({ reading }) => reading.nodes.length > 0).flatMap(coverageOf),
  }),
})

function coverageOf({ label: subject, reading }: RawFeed): Finding[] {
  const groups = GROUPS.map((one) => ({ ...one, ...countsOf(reading, one.attributes) }))
  const text = groups
    .map(({ group, served, attributes }) => `${group} ${served.length} of ${attributes.length}`)
    .join(', ')
  const findings: Finding[] = [{ status: 'ok', subject, text }]
  const isPerformance = (group: string) => PERFORMANCE_CATEGORIES.some((category) => category === group)
  if (groups.every(({ group, served }) => isPerformance(group) === (served.length === 0))) {
    findings.push({
      status: 'info',
      subject,
      text: 'performance attributes are not served: systems since version 3.6 serve them in the query interface only',
    })
  }
  const incomplete = groups.filter(
    ({ group, served, absent }) => absent.length > 0 && (served.length > 0 || !isPerformance(group)),
  )
  for (const { group, absent, served } of incomplete) {
    const isMissing = served.length === 0
    findings.push({
      status: isMissing ? 'warn' : 'info',
      subject,
      text: `${group}: missing ${absent.join(', ')}`,
      ...(isMissing && {
        remedy: 'compare with the management interface; panels and alerts of these attributes have no data',
      }),
    })
  }
  return findings
}

/** How many of the performance attributes are there: `health 9 of 9, traffic 5 of 7, diskIO 14 of 14`. */
export function performanceCoverage(reading: Pick<FeedReading, 'coverage'>): string {
  return PERFORMANCE_CATEGORIES.map((category) => {
    const attributes = attributesOf(category)
    return `${category} ${countsOf(reading, attributes).served.length} of ${attributes.length}`
  }).join(', ')
}

/** An attribute is served if at least one node serves it. */
function countsOf({ coverage }: Pick<FeedReading, 'coverage'>, attributes: readonly CoverageAttribute[]) {
  const isServed = (attribute: CoverageAttribute) => (coverage.get(attribute)?.served ?? 0) > 0
  return {
    served: attributes.filter(isServed),
    absent: attributes.filter((attribute) => !isServed(attribute)),
  }
}
