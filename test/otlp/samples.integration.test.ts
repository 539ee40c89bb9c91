import { expect, onTestFinished, test } from 'vitest'
import { createDemoSystems } from '../../src/commands/demo.ts'
import { startExporter } from '../faults/exporter_setup.ts'
import { keyOf, type Values } from '../scrapers/series.ts'
import { get } from '../support/http.ts'
import { waitFor } from '../support/wait.ts'
import type { ReceivedMetric, ReceivedPoint } from './decode.ts'
import { POLLED_ONCE, waitForReadings, waitForSamples } from './pushed.ts'
import { type Received, startReceiver } from './receiver.ts'

const FEWEST_SERIES = 1000
/** The metrics at the end of a push. */
const LAST = 'nodejs_version_info'

/** The series that a scrape has for a metric. */
function seriesOf({ name, type, points }: ReceivedMetric): (readonly [string, number])[] {
  if (type !== 'histogram') return points.map(({ labels, value }) => [keyOf(name, labels), value])
  return points.flatMap((point) => [...bucketsOf(name, point), ...totalsOf(name, point)])
}

function bucketsOf(name: string, { labels, counts, bounds }: ReceivedPoint) {
  let total = 0
  return counts.map((count, index) => {
    total += count
    const le = index < bounds.length ? String(bounds[index]) : '+Inf'
    return [keyOf(`${name}_bucket`, { ...labels, le }), total] as const
  })
}

function totalsOf(name: string, { labels, sum, value }: ReceivedPoint) {
  const count = [keyOf(`${name}_count`, labels), value] as const
  return sum === undefined ? [count] : [count, [keyOf(`${name}_sum`, labels), sum] as const]
}

/** The metrics of the last push that is complete. */
function lastPush(requests: readonly Received[]): ReceivedMetric[] {
  const isLast = ({ metrics }: Received) => metrics.some(({ name }) => name === LAST)
  const end = requests.findLastIndex(isLast)
  const before = requests.findLastIndex((request, index) => index < end && isLast(request))
  return requests.slice(before + 1, end + 1).flatMap(({ metrics }) => metrics)
}

test('a push of the demo has the samples of a scrape, and a reload ends it', async () => {
  await using receiver = await startReceiver()
  const demo = createDemoSystems({ listenAddress: '127.0.0.1:0' })
  await demo.start()
  onTestFinished(demo.stop)
  const systems = demo.config().replace(/^poll: .*$/m, POLLED_ONCE)
  await using setup = await startExporter(systems)
  const { exporter } = setup
  await waitForReadings(exporter.url)
  expect(receiver.requests).toEqual([])
  const section = `otlp: {endpoint: "${receiver.url}", interval: 1s, headers: {Authorization: Bearer geheim}}`
  setup.configure(`${systems}${section}\n`)
  await exporter.reload()
  const received = (): Values => new Map(lastPush(receiver.requests).flatMap(seriesOf))
  await waitForSamples(exporter.url, received, FEWEST_SERIES)

  const metrics = lastPush(receiver.requests)
  const types = Map.groupBy(metrics, ({ type }) => type)
  expect(types.get('gauge')?.every(({ temporality }) => temporality === 0)).toBe(true)
  expect(types.get('sum')?.every(({ temporality, isMonotonic }) => temporality === 2 && isMonotonic)).toBe(
    true,
  )
  expect(types.get('histogram')?.every(({ temporality }) => temporality === 2)).toBe(true)
  expect(new Set(metrics.map(({ unit }) => unit))).toEqual(new Set(['', 'By', 's', '1']))
  expect(metrics.filter(({ help }) => help === '')).toEqual([])
  const times = metrics.flatMap(({ points }) => points.map(({ start, time }) => time - start))
  expect(times.every((time) => time > 0n)).toBe(true)

  const pages = await Promise.all(
    ['/', '/metrics', '/api/v1/status', '/sd'].map((path) => get(`${exporter.url}${path}`)),
  )
  expect(JSON.stringify([setup.log, pages.map(({ text }) => text)])).not.toContain('geheim')
  expect(pages[0]?.text).toContain(`OTLP push to ${receiver.url}/v1/metrics`)
  expect(JSON.parse(pages[2]?.text ?? '')).toMatchObject({ push: { result: 'ok', error: null } })

  setup.configure(systems)
  await exporter.reload()
  const { length } = receiver.requests
  expect(await setup.value('sds_otlp_exports_total', { result: 'ok' })).toBeUndefined()
  await waitFor(async () => (await get(`${exporter.url}/-/ready`)).status === 200, { what: 'a response' })
  expect(receiver.requests).toHaveLength(length)
})
