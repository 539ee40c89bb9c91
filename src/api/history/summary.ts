import type { PlausibleRange } from '../../catalogue.ts'
import { readNewest, type Snapshot, valueIn } from '../feed/snapshots.ts'
import { asList, isObject, member } from '../parse/json.ts'
import { readNumber } from '../parse/numbers.ts'
import { type Reject, servedOrRejected } from '../parse/reads.ts'

/** `<Attribute>Summary` of the storage system, in the unit of the source. */
export interface Summary {
  readonly min: Snapshot | undefined
  readonly max: Snapshot | undefined
  /** Mean of the points of the requested period. */
  readonly average: number | undefined
}

/**
 * Reads `<Attribute>Summary`. Its extremes are a snapshot or an array of one; its average is a number, a text or a
 * snapshot, which may have no time. Source: API document, "Snapshot and series conventions", rule 5.
 * @returns undefined for a summary without any value
 */
export function readSummary(
  value: unknown,
  tag: string,
  range: PlausibleRange,
  reject: Reject,
): Summary | undefined {
  if (!isObject(value)) return undefined
  const min = servedOrRejected(readNewest(member(value, 'Min'), tag, range), reject)
  const max = servedOrRejected(readNewest(member(value, 'Max'), tag, range), reject)
  const mean = asList(member(value, 'Avg')).at(-1)
  const average = servedOrRejected(readNumber(isObject(mean) ? valueIn(mean, tag) : mean, range), reject)
  const isEmpty = min === undefined && max === undefined && average === undefined
  return isEmpty ? undefined : { min, max, average }
}
