import { readFileSync } from 'node:fs'
import { parseJson } from '../../../src/api/parse/json.ts'
import { decodeAnswer, type QueryAnswer } from '../../../src/api/query/answers/answer.ts'
import type { NodePast } from '../../../src/api/query/past_reader.ts'
import { createInterfaceRule } from '../../../src/api/query/values/interfaces.ts'
import { calculatePerformance, type PerformanceReading } from '../../../src/api/query/values/performance.ts'
import type { QueryAttributeName } from '../../../src/query_catalogue.ts'

/** The answers of one poll in test/fixtures/query: values of a real system of two nodes, typed by hand. */
export const ANSWERS = [
  'cpu',
  'memory',
  'network',
  'traffic_disk',
  'latency_read',
  'latency_write',
  'error_codes',
] as const

export function queryFile(name: string): string {
  return readFileSync(new URL(`../../fixtures/query/${name}`, import.meta.url), 'utf8')
}

export function answerOf(name: string): QueryAnswer {
  return decodeAnswer(parseJson(queryFile(`${name}.json`)), { name: `query_${name}`, tags: [] })
}

export const NO_FILTER = { include: '', exclude: '' }
/** Options of a reader that is polled. */
export const POLLED = { interfaces: NO_FILTER, keepsEarlier: true, maxSeries: 50_000 }

export function readingOf(
  answers: readonly QueryAnswer[],
  filter = NO_FILTER,
  failedFields: ReadonlySet<string> = new Set(),
): PerformanceReading {
  const interfaces = createInterfaceRule(filter)
  return calculatePerformance(answers, { interfaces, failedFields, windowOf: () => 1320 })
}

/** Start and end of the range in tests. */
export const START = '2026-07-31T08:16:22.801998531Z'
export const STOP = '2026-07-31T08:38:22.801998531Z'

export interface RowOptions {
  readonly time: string
  readonly value: unknown
  readonly field: string
  readonly measurement: string
  readonly node?: string
  readonly tags?: Readonly<Record<string, string>>
}

/** An answer with these rows, which need the same tags. */
export function bodyOf(rows: readonly RowOptions[]): unknown {
  const tags = Object.keys(rows[0]?.tags ?? {})
  const names = ['table', '_start', '_stop', '_time', '_value', '_field', '_measurement', 'host', 'node_id']
  const values = rows.map(({ time, value, field, measurement, node = 'n1', tags: more = {} }, index) => [
    String(index),
    START,
    STOP,
    `2026-07-31T${time}Z`,
    value,
    field,
    measurement,
    node,
    `id-${node}`,
    ...tags.map((tag) => more[tag]),
  ])
  return { Series: [{ Datatypes: names.map(() => 'string'), Columns: [...names, ...tags], Values: values }] }
}

export function decodeBody(body: unknown, tags: readonly string[] = []): QueryAnswer {
  return decodeAnswer(body, { name: 'query_test', tags })
}

/** The values of an attribute in a window of the past. */
export function pastValues(node: NodePast | undefined, name: QueryAttributeName) {
  return (node?.moments ?? []).flatMap(({ t, performance }) => {
    const found = performance.values.get(name)
    return found?.t === t ? [found] : []
  })
}
