import type { NodeReading } from '../api/feed/node_reading.ts'
import { ATTRIBUTES, type Category, TRANSACTION_ERRORS } from '../catalogue.ts'

/**
 * The newest `t` of each category that a node serves, in seconds since the epoch by the clock of the system,
 * without correction.
 */
export function newestTimes({ values, errors }: NodeReading): ReadonlyMap<Category, number> {
  const newest = new Map<Category, number>()
  const see = (category: Category, t: number | undefined) => {
    if (t !== undefined) newest.set(category, Math.max(t, newest.get(category) ?? 0))
  }
  for (const { name, category } of ATTRIBUTES) see(category, values.get(name)?.t)
  if (errors === undefined) return newest
  see(TRANSACTION_ERRORS.category, errors.all?.t)
  for (const { rate } of errors.types) see(TRANSACTION_ERRORS.category, rate?.t)
  return newest
}
