import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import { panelsOf } from '../../../scripts/preview/panel_results.ts'
import { type Preview, preview } from '../../../scripts/preview/preview.ts'
import { type Prometheus, prometheusAt } from '../../../scripts/preview/prometheus.ts'
import { format } from '../../../scripts/preview/units.ts'
import { parse, resultLabels } from '../promql/parse.ts'

const TO = 1_700_000_000

/** Two series for every query, with the labels of its result, and an error for one metric. */
const answer = (form: URLSearchParams): { status: string; error?: string; data?: unknown } => {
  const expr = form.get('query') ?? ''
  if (expr.includes('sds_authn_providers')) return { status: 'error', error: 'no <such> thing' }
  if (expr.includes('nodejs_eventloop'))
    return { status: 'success', data: { resultType: 'vector', result: [] } }
  const labels = [...(resultLabels(parse(expr)) ?? [])]
  const [start, end, step] = ['start', 'end', 'step'].map((name) => Number(form.get(name)))
  const times = Array.from({ length: 20 }, (_, index) => Number(start) + index * Number(step)).filter(
    (time) => time <= Number(end),
  )
  const result = (labels.length > 0 ? ['one', '<two>'] : ['']).map((value, index) => ({
    metric: Object.fromEntries(labels.map((label) => [label, label === 'le' ? String(index + 1) : value])),
    ...(form.has('start')
      ? { values: times.map((time, at) => [time, String((at % 3) + index)]) }
      : { value: [TO, String(index)] }),
  }))
  return { status: 'success', data: { resultType: form.has('start') ? 'matrix' : 'vector', result } }
}

let server: Server
let prometheus: Prometheus

beforeAll(async () => {
  server = createServer(async (request, response) => {
    response.end(JSON.stringify(answer(new URLSearchParams(await text(request)))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  prometheus = prometheusAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(() => server.close())

const drawn = (uid: string): Promise<Preview> => {
  const dashboard = buildDashboards().find((one) => one.uid === uid)
  if (!dashboard) throw new Error(`no dashboard ${uid}`)
  return preview(prometheus, dashboard, { selection: {}, to: TO, length: undefined })
}

describe('the preview', () => {
  test.each(buildDashboards().map(({ uid = '' }) => uid))('draws every panel of %s', async (uid) => {
    const { html } = await drawn(uid)
    const dashboard = buildDashboards().find((one) => one.uid === uid)
    const titles = dashboard ? panelsOf(dashboard).map(({ title = '' }) => title.replace('$topn', '10')) : []
    expect(titles.filter((title) => !html.includes(`<h3>${title}</h3>`))).toEqual([])
    expect(html.match(/<article/g)).toHaveLength(titles.length)
    expect(html).toContain('not Grafana')
    expect(html).not.toMatch(/NaN|undefined|cannot draw|not asked/)
  })

  test('escapes labels in the HTML', async () => {
    const { html } = await drawn('sds-pool')
    expect(html).toContain('&lt;two&gt;')
    expect(html).not.toContain('<two>')
  })

  test('lists panels without data, and panels with the error of Prometheus', async () => {
    const { html, empty, failed } = await drawn('sds-exporter')
    expect(empty).toEqual(['Event loop lag, 99th percentile'])
    expect(failed).toEqual(['Systems: no <such> thing'])
    expect(html).toContain('no &lt;such&gt; thing')
  })

  test('shows the node dashboard for the first node', async () => {
    const { html } = await drawn('sds-node')
    expect(html).toContain('Node <b>one</b>')
  })
})

describe('units', () => {
  test.each([
    [0.123, 'percentunit', '12.3%'],
    [1536, 'bytes', '1.50 KiB'],
    [2_500_000, 'Bps', '2.50 MB/s'],
    [0.0456, 's', '45.6 ms'],
    [5400, 's', '1.5 hours'],
    [1_400_000, 'reqps', '1.40 Mil req/s'],
    [777_600, 'dtdurations', '1 week, 2 days'],
    [0, 'dtdurations', '0 seconds'],
    [12, 'none', '12'],
  ])('%d in %s is %s', (value, unit, expected) => {
    expect(format(value, unit)).toBe(expected)
  })
})
