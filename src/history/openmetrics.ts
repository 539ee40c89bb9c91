import { HISTORY_FAMILIES } from '../catalogue.ts'
import { familyHeader } from '../metrics/exposition.ts'
import { feedFamily } from '../metrics/families.ts'

/** The families of a history with their OpenMetrics headers, in the order of the output. */
export const FAMILY_HEADERS: ReadonlyMap<string, string> = new Map(
  HISTORY_FAMILIES.map((family) => [family.name, familyHeader(feedFamily(family), 'openmetrics')]),
)

/** The sample lines of one series with timestamps in seconds. */
export function pointLines(
  family: string,
  labels: string,
  times: readonly number[],
  values: readonly number[],
): string {
  const series = `${family}{${labels}} `
  let lines = ''
  for (let index = 0; index < times.length; index += 1) lines += `${series}${values[index]} ${times[index]}\n`
  return lines
}
