import type { Emulator } from '../../support/programs/emulator.ts'
import { type CallOptions, call, type Response } from '../client.ts'

export const PATH = '/flux/api/external/v2/query'
export const LATENCY = 'statDataHead_performance_internal_latency'
export const TRANSACTIONS = 'statDataHead_performance_internal_transactions'

const WINDOW_COLUMNS = ['_start', '_stop', '_time', '_value', '_field', '_measurement', 'host', 'node_id']

/** `from(…) |> range(…) |> filter(…)` for series of a measurement, and what follows. */
export function script(bucket: string, measurement: string, rest = '', range = 'start: -20m'): string {
  const filter = `filter(fn: (r) => r._measurement == "${measurement}")`
  return `from(bucket: "${bucket}") |> range(${range}) |> ${filter} ${rest}`
}

export function keep(...tags: readonly string[]): string {
  return `|> keep(columns: ${JSON.stringify([...WINDOW_COLUMNS, ...tags])})`
}

/** Sends a script as JSON. */
export function query(
  emulator: { readonly url: string },
  flux: string,
  { headers = {}, ...options }: CallOptions = {},
): Promise<Response> {
  return call(emulator, PATH, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: flux }),
    ...options,
  })
}

export interface ResponseTable {
  readonly Datatypes: string[]
  readonly Columns: string[]
  readonly Values: string[][]
}

/** The one element of `Series`; fails the test on any other response. */
export async function tableOf(emulator: { readonly url: string }, flux: string): Promise<ResponseTable> {
  const response = await query(emulator, flux)
  if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
  const { Series } = response.json()
  if (Series.length !== 1) throw new Error(`${Series.length} Series`)
  return Series[0]
}

/** The rows by column; none for an empty answer. */
export async function rowsOf(
  emulator: Pick<Emulator, 'url'>,
  flux: string,
): Promise<Record<string, string>[]> {
  const { Columns, Values } = await tableOf(emulator, flux)
  return (Values ?? []).map((row) =>
    Object.fromEntries(row.map((cell, index) => [Columns[index] ?? '', cell])),
  )
}

export interface Point {
  /** Epoch seconds. */
  readonly time: number
  readonly value: number
}

/** The points of each series, by its field, tags and node; `keyOf` selects the columns of the key. */
export async function seriesBy(
  emulator: Pick<Emulator, 'url'>,
  flux: string,
  keyOf: (row: Record<string, string>) => string,
): Promise<Map<string, Point[]>> {
  const series = new Map<string, Point[]>()
  for (const row of await rowsOf(emulator, flux)) {
    const points = series.get(keyOf(row)) ?? []
    points.push({ time: Date.parse(row['_time'] ?? '') / 1000, value: Number(row['_value']) })
    series.set(keyOf(row), points)
  }
  return series
}
