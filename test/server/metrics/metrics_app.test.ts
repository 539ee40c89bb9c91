import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../../src/log.ts'
import { renderPart } from '../../../src/metrics/exposition.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'
import { createPage } from '../../../src/metrics/page.ts'
import { newSystem } from '../../../src/poller/state.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import { createMetricsApp, OPEN_PATHS } from '../../../src/server/metrics/metrics_app.ts'
import { get, request } from '../../support/http.ts'
import { checkMetrics } from '../../support/promtool.ts'

const state = { ready: false, reload: async (): Promise<void> => undefined, value: 1 }
const page = () =>
  createPage([renderPart(new Map([['sds_node_disks', [{ labels: 'system="a"', value: state.value }]]]))])
const app = createMetricsApp({
  page,
  own: createOwnMetrics({ version: '1.2.3', nodeVersion: 'v24' }),
  ready: () => state.ready,
  reload: () => state.reload(),
  landing: { version: '1.2.3', systems: () => [{ ...newSystem('<script>alert(1)</script>'), tried: true }] },
  log: silentLog,
})
const listener = createListener({
  address: '127.0.0.1:0',
  handler: app.callback(),
  openPaths: OPEN_PATHS,
  log: silentLog,
})

beforeAll(() => listener.start())
afterAll(() => listener.stop())

describe('GET /metrics', () => {
  test('serves the text format, and promtool finds no problems', async () => {
    const { status, headers, text } = await get(`${listener.url}/metrics`)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toContain('\nsds_node_disks{system="a"} 1\n')
    expect(text).toContain('\nsds_exporter_build_info{version="1.2.3",node_version="v24"} 1\n')
    expect(await checkMetrics(text)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('serves OpenMetrics on request', async () => {
    const { headers, text } = await get(`${listener.url}/metrics`, { Accept: 'application/openmetrics-text' })
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(text.endsWith('\n# EOF\n')).toBe(true)
    expect(text).not.toContain('\n\n')
  })

  test.each(['text/plain', 'application/openmetrics-text'])(
    'sends %s compressed, the same text',
    async (Accept) => {
      const plain = await get(`${listener.url}/metrics`, { Accept })
      const packed = await get(`${listener.url}/metrics`, { Accept, 'Accept-Encoding': 'gzip' })
      expect(packed.headers['content-encoding']).toBe('gzip')
      expect(packed.headers['content-length']).toBe(String(packed.body.length))
      expect(gunzipSync(packed.body).toString()).toBe(plain.text)
    },
  )

  test('HEAD returns the headers and no body', async () => {
    const { status, headers, body } = await request('HEAD', `${listener.url}/metrics`)
    expect(status).toBe(200)
    expect(Number(headers['content-length'])).toBeGreaterThan(1000)
    expect(body).toHaveLength(0)
  })

  test('serves the current page', async () => {
    state.value = 2
    expect((await get(`${listener.url}/metrics`)).text).toContain('sds_node_disks{system="a"} 2\n')
  })
})

test('becomes ready when every system has been polled', async () => {
  expect((await get(`${listener.url}/-/healthy`)).status).toBe(200)
  expect((await get(`${listener.url}/-/ready`)).status).toBe(503)
  state.ready = true
  expect((await get(`${listener.url}/-/ready`)).status).toBe(200)
})

describe('POST /-/reload', () => {
  test('returns the reason if the configuration is invalid', async () => {
    state.reload = () => Promise.reject(new Error('poll.schedule: bad'))
    const { status, text } = await request('POST', `${listener.url}/-/reload`)
    expect([status, text]).toEqual([500, expect.stringContaining('poll.schedule: bad')])
    state.reload = async () => undefined
    expect((await request('POST', `${listener.url}/-/reload`)).status).toBe(200)
  })

  test('does not accept GET', async () => {
    const { status, headers } = await get(`${listener.url}/-/reload`)
    expect([status, headers.allow]).toEqual([405, 'POST'])
  })
})

test('the landing page escapes text', async () => {
  const { headers, text } = await get(`${listener.url}/`)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(text).not.toContain('<script>')
})

test('other paths are not found', async () => {
  expect((await get(`${listener.url}/nothing`)).status).toBe(404)
})
