import { type HourlyRequests, type LoadedSystem, measureRequests } from './measure.ts'

const SOURCES = { classic: 'feed', modern: 'query interface' } as const

/** The rows of the table. */
const SIZES = [
  { pools: 1, nodes: 5, namespaces: 12 },
  { pools: 4, nodes: 16, namespaces: 100 },
  { pools: 10, nodes: 16, namespaces: 500 },
]
export const SYSTEMS: readonly LoadedSystem[] = (['classic', 'modern'] as const).flatMap((profile) =>
  SIZES.map((size) => ({ profile, ...size })),
)

export const HEAD = [
  'Performance figures',
  'Pools × nodes',
  'Namespaces',
  'Requests an hour',
  'without `resources`',
  'with `buckets` every hour',
  'with `history`',
]

/** Measures the rows of systems, one after the other. */
export async function requestRows(systems: readonly LoadedSystem[]): Promise<string[][]> {
  const rows: string[][] = []
  for (const one of systems) rows.push(rowOf(one, await measureRequests(one)))
  return rows
}

function rowOf({ profile, pools, nodes, namespaces }: LoadedSystem, requests: HourlyRequests): string[] {
  const all = Object.entries(requests).filter(([kind]) => kind !== 'history' && kind !== 'resources.buckets')
  const sumOf = (kinds: typeof all) => kinds.reduce((sum, [, count]) => sum + count, 0)
  const total = sumOf(all)
  const numbers = [
    total,
    sumOf(all.filter(([kind]) => !kind.startsWith('resources.'))),
    total + requests['resources.buckets'],
    total + requests.history,
  ]
  const texts = numbers.map((number) => number.toLocaleString('en'))
  return [SOURCES[profile as keyof typeof SOURCES], `${pools} × ${nodes}`, String(namespaces), ...texts]
}
