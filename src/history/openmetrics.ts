import { HISTORY_FAMILIES } from '../catalogue.ts'
import { type Format, familyHeader } from '../metrics/exposition.ts'
import { feedFamily } from '../metrics/families.ts'

/** The families of a history with their headers, in the order of the output. */
export type FamilyHeaders = ReadonlyMap<string, string>

const headersIn = (format: Format): FamilyHeaders =>
  new Map(HISTORY_FAMILIES.map((family) => [family.name, familyHeader(feedFamily(family), format)]))

export const FAMILY_HEADERS: Readonly<Record<Format, FamilyHeaders>> = {
  text: headersIn('text'),
  openmetrics: headersIn('openmetrics'),
}

const MS_PER_SECOND = 1000

/**
 * The sample lines of one series, from the sample at index `from` on.
 * Timestamps are in seconds in OpenMetrics, and in milliseconds in the text format.
 * @param times seconds since the epoch
 */
export function pointLines(
  family: string,
  labels: string,
  times: readonly number[],
  values: readonly number[],
  { format = 'openmetrics', from = 0 }: { format?: Format; from?: number } = {},
): string {
  const series = `${family}{${labels}} `
  let lines = ''
  for (let index = from; index < times.length; index += 1) {
    const seconds = times[index] ?? 0
    const time = format === 'text' ? Math.round(seconds * MS_PER_SECOND) : seconds
    lines += `${series}${values[index]} ${time}\n`
  }
  return lines
}
