import type { Sample } from '../metrics/exposition_text.ts'
import { getJson } from '../support/http.ts'

/** Values by series. Buckets of native histograms are cumulative series of `_bucket`, as those of classic ones. */
export type Values = ReadonlyMap<string, number>

type Labels = Readonly<Record<string, string>>

/** Written by the scraper itself. */
export const OWN_SERIES = /^(up$|scrape_|target_info$)/
/** Added by the scraper to each series. */
const OWN_LABELS = /^(job$|instance$|otel_scope_)/

/** With labels by name, and bounds of buckets as numbers: programs write 1, 1.0 or 1e+00. */
export function keyOf(name: string, labels: Labels): string {
  const texts = Object.entries(labels)
    .filter(([label]) => !OWN_LABELS.test(label))
    .map(([label, value]) => `${label}=${JSON.stringify(label === 'le' ? boundText(value) : value)}`)
  return `${name}{${texts.toSorted().join()}}`
}

const boundText = (bound: string) => String(Number(bound.replace('Inf', 'Infinity')))

export function valuesOf(samples: readonly Sample[]): Values {
  return new Map(samples.map(({ name, labels, value }) => [keyOf(name, labels), value]))
}

interface NativeHistogram {
  readonly count: string
  readonly buckets?: readonly (readonly [boundary: number, from: string, to: string, count: string])[]
}
type Result = readonly {
  readonly metric: Labels
  readonly value?: readonly [number, string]
  readonly histogram?: readonly [number, NativeHistogram]
}[]

async function resultOf(url: string, query: string): Promise<Result> {
  const answer = await getJson(`${url}/api/v1/query?${new URLSearchParams({ query })}`)
  return (answer as { data: { result: Result } }).data.result
}

/** All series of the job in a store with the API of Prometheus, without those that the scraper adds. */
export async function storedValues(url: string, job: string): Promise<Values> {
  const result = await resultOf(url, `{job="${job}"}`)
  return new Map(
    result.flatMap(({ metric: { __name__: name = '', ...labels }, value, histogram }) => {
      if (OWN_SERIES.test(name)) return []
      if (histogram !== undefined) return cumulative(name, labels, histogram[1])
      return [[keyOf(name, labels), Number(value?.[1])] as const]
    }),
  )
}

function cumulative(name: string, labels: Labels, { count, buckets = [] }: NativeHistogram) {
  let total = 0
  const entries = buckets.map(([, , to, inBucket]) => {
    total += Number(inBucket)
    return [keyOf(`${name}_bucket`, { ...labels, le: to }), total] as const
  })
  return [...entries, [keyOf(`${name}_bucket`, { ...labels, le: '+Inf' }), Number(count)] as const]
}

/** The value of a series that the scraper writes itself. */
export async function ownValue(url: string, job: string, name: string): Promise<number> {
  const [element] = await resultOf(url, `${name}{job="${job}"}`)
  return Number(element?.value?.[1])
}

/** Decimal stores keep about 12 digits. */
const RELATIVE_TOLERANCE = 1e-11

/** What differs, a line each. */
export function differencesOf(stored: Values, expected: Values): string[] {
  const more = [...stored.keys()].filter((key) => !expected.has(key)).map((key) => `more: ${key}`)
  const others = [...expected].flatMap(([key, value]) => {
    const found = stored.get(key)
    if (found === undefined) return [`missing: ${key}`]
    const same = Object.is(found, value) || Math.abs(found - value) <= RELATIVE_TOLERANCE * Math.abs(value)
    return same ? [] : [`${key}: ${found}, not ${value}`]
  })
  return [...more, ...others]
}

/** Types and units of families, by the name in the exposition. */
export type Metadata = ReadonlyMap<string, { readonly type: string; readonly unit: string }>

export function exposedMetadata(text: string): Metadata {
  const units = new Map(
    [...text.matchAll(/^# UNIT (\S+) (\S*)$/gm)].map(([, name = '', unit = '']) => [name, unit]),
  )
  return new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [
      name,
      { type, unit: units.get(name) ?? '' },
    ]),
  )
}
