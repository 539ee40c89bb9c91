import { REJECTIONS, type RejectedValue } from '../api/parse/reads.ts'
import { STATE } from '../metrics/families.ts'
import { labelText, type Part, renderPart, type Sample } from '../metrics/lines.ts'

/** The rejected values of one system. Immutable. */
export interface Rejections {
  readonly system: string
  /** By the text of the labels. Every reason begins at 0, so that its first value is an increase. */
  readonly byReason: ReadonlyMap<string, number>
  /** By the text of the labels; attributes and reasons that have not occurred are missing, because they are many. */
  readonly byAttribute: ReadonlyMap<string, number>
  /** The lines; rendered here, because they rarely change. */
  readonly part: Part
}

export function newRejections(system: string): Rejections {
  const reasons = Object.keys(REJECTIONS).map((reason) => [labelText({ system, reason }), 0] as const)
  return rendered({ system, byReason: new Map(reasons), byAttribute: new Map() })
}

/**
 * The values that the response before did not have: of what is read every hour, an invalid value is counted when it
 * appears, not again each hour.
 */
export function newlyRejected(
  values: readonly RejectedValue[],
  before: readonly RejectedValue[] = [],
): readonly RejectedValue[] {
  return values.flatMap((value) => {
    const { attribute, reason, text } = value
    const same = before.find(
      (other) => other.attribute === attribute && other.reason === reason && other.text === text,
    )
    const times = value.times - (same?.times ?? 0)
    return times > 0 ? [{ ...value, times }] : []
  })
}

/** With the rejected values of one more response. */
export function withRejected(
  rejections: Rejections,
  values: readonly Pick<RejectedValue, 'attribute' | 'reason' | 'times'>[],
): Rejections {
  if (values.length === 0) return rejections
  const { system } = rejections
  const [byReason, byAttribute] = [new Map(rejections.byReason), new Map(rejections.byAttribute)]
  for (const { attribute, reason, times } of values) {
    const [ofReason, ofAttribute] = [labelText({ system, reason }), labelText({ system, attribute, reason })]
    byReason.set(ofReason, (byReason.get(ofReason) ?? 0) + times)
    byAttribute.set(ofAttribute, (byAttribute.get(ofAttribute) ?? 0) + times)
  }
  return rendered({ system, byReason, byAttribute })
}

function rendered(counts: Omit<Rejections, 'part'>): Rejections {
  const samplesOf = (values: ReadonlyMap<string, number>): Sample[] =>
    [...values].map(([labels, value]) => ({ labels, value }))
  const samples = new Map([
    [STATE.rejectedByReason.name, samplesOf(counts.byReason)] as const,
    [STATE.rejectedValues.name, samplesOf(counts.byAttribute)] as const,
  ])
  return { ...counts, part: renderPart(samples) }
}
