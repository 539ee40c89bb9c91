import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ATTRIBUTES, UNITS } from '../../src/catalogue.ts'
import { startEmulator } from '../api/client_setup.ts'
import { type Json, seriesIn, valueIn } from '../emulator/client.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { getJson } from '../support/http.ts'
import { run } from '../support/processes.ts'
import { type Prometheus, startPrometheus } from '../support/programs/prometheus.ts'
import { promtool } from '../support/promtool.ts'

/** The history of an emulated system goes through `backfill` and promtool into a new Prometheus server. */
type Emulator = Awaited<ReturnType<typeof startEmulator>>

const TIMEOUT_MS = 240_000

async function backfill(
  folder: Folder,
  emulator: Emulator,
  { from, to, more = [] }: { readonly from: number; readonly to: number; readonly more?: readonly string[] },
): Promise<string> {
  const auth = 'auth: {username: monitor, password: emulator}'
  const text = `systems: [{name: a, base_url: "${emulator.url}", ${auth}}]\nlimits: {requests_per_second: 1000}\n`
  const file = join(folder.path, 'history.om')
  const config = folder.write('sds-exporter.yml', text)
  const flags = [
    `--config.file=${config}`,
    `--from=${from}`,
    `--to=${to}`,
    `--output=${file}`,
    '--label=job=sds',
    ...more,
  ]
  const done = await run(process.execPath, ['src/main.ts', 'backfill', ...flags])
  expect(done).toMatchObject({ code: 0 })
  return file
}

/** Runs the import as `backfill` prints it. */
async function createBlocks(file: string, data: string): Promise<void> {
  const flags = ['tsdb', 'create-blocks-from', '--max-block-duration=744h', 'openmetrics']
  expect(await promtool([...flags, file, data])).toMatchObject({ code: 0, stderr: '' })
}

interface Matrix {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [number, string])[]
}

/** The stored samples of a family, as they are. */
async function storedSamples(
  { url }: Prometheus,
  family: string,
  from: number,
  to: number,
): Promise<readonly Matrix[]> {
  const query = new URLSearchParams({ query: `${family}[${to - from}s]`, time: String(to - 1) })
  const answer = (await getJson(`${url}/api/v1/query?${query}`)) as { data: { result: Matrix[] } }
  return answer.data.result
}

describe('every attribute', () => {
  const from = 1_772_323_200
  const to = from + 6 * 3600
  const nodes: Record<string, Record<string, unknown>> = {}
  let folder: Folder
  let prometheus: Prometheus

  beforeAll(async () => {
    folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 6, profile: 'documented' })
    const file = await backfill(folder, emulator, { from, to })
    const path = `/dashboard/storagepools/${emulator.pools[0]?.id}/nodes`
    const query = `dataType=historical&startTime=${from}&endTime=${to - 1}&interval=300`
    const headers = { 'X-SDS-AUTH-TOKEN': 'emulator-monitor' }
    const served = (await (await fetch(`${emulator.url}${path}?${query}`, { headers })).json()) as Json
    for (const node of served._embedded.instances) nodes[node.displayName] = node
    const data = join(folder.path, 'data')
    await createBlocks(file, data)
    prometheus = await startPrometheus({ config: {}, dataFolder: data })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await prometheus?.stop()
    folder?.[Symbol.dispose]()
  })

  test('has exactly the values that the system served', async () => {
    for (const { name, historyFamily, labels, unit } of ATTRIBUTES.filter(
      ({ currentOnly }) => !currentOnly,
    )) {
      const stored = (await storedSamples(prometheus, historyFamily, from, to)).filter(({ metric }) =>
        Object.entries(labels).every(([label, value]) => metric[label] === value),
      )
      // One node of a large pool keeps capacity history for an hour only.
      const withHistory = Object.keys(nodes).filter((node) => seriesIn(nodes[node], name).length > 0)
      expect(withHistory.length).toBeGreaterThan(4)
      expect(stored.map(({ metric }) => metric['node']).toSorted()).toEqual(withHistory.toSorted())
      for (const { metric, values } of stored) {
        expect(metric).toMatchObject({ system: 'a', pool: 'hot', job: 'sds' })
        const expected = seriesIn(nodes[metric['node'] ?? ''], name)
        expect(values.map(([t, value]) => [t, Number(value)])).toEqual(
          expected.map(({ t, value }) => [t, UNITS[unit].toBase(value)]),
        )
      }
    }
  })

  test('transactionErrors has the rates, without the intervals that the system left out', async () => {
    const all = await storedSamples(prometheus, 'sds_node_transaction_errors_ratio', from, to)
    const types = await storedSamples(prometheus, 'sds_node_transaction_errors_by_type_ratio', from, to)
    const rates = (series: readonly { t: number | string }[]) =>
      series.map((snapshot) => [Number(snapshot.t), valueIn(snapshot) / 100])
    const numbers = ({ values }: Matrix) => values.map(([t, value]) => [t, Number(value)])
    let served = 0
    for (const [name, node] of Object.entries(nodes)) {
      // biome-ignore lint/suspicious/noExplicitAny: the response as it was served
      const errors = node['transactionErrors'] as any
      const own = all.filter(({ metric }) => metric['node'] === name)
      // A node may have no interval with an error.
      expect(own.map(numbers)).toEqual([rates(errors.all)].filter(({ length }) => length > 0))
      for (const type of errors.types) {
        served += 1
        const ofType = types.filter(
          ({ metric }) => metric['node'] === name && metric['error_type'] === type.errorType,
        )
        expect(ofType.map(({ metric }) => metric['category'])).toEqual([type.category])
        expect(ofType.map(numbers)).toEqual([rates(type.errorRate)])
      }
    }
    expect(types).toHaveLength(served)
    expect(types.some(({ values }) => values.length < 72)).toBe(true)
  })
})
