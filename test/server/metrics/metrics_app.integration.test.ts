import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../../src/log.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { createPart } from '../../../src/metrics/lines.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import { OPEN_PATHS } from '../../../src/server/paths.ts'
import { get, request } from '../../support/http.ts'
import { checkMetrics } from '../../support/promtool.ts'
import { metricsApp } from '../status/status_setup.ts'

const state = { ready: false, reload: async (): Promise<void> => undefined, value: 1 }
const exposition = () =>
  createExposition([createPart((add) => add('sds_node_disks', 'system="a"', state.value))])
const app = metricsApp({ exposition, ready: () => state.ready, reload: () => state.reload() })
const listener = createListener({ address: '127.0.0.1:0', handler: app, log: silentLog })

beforeAll(() => listener.start())
afterAll(() => listener.stop())

describe('GET /metrics', () => {
  const PARAMETER = 'the parameter is collect[], the name of a metric, and may be repeated'

  test('serves the text format, and promtool finds no problems', async () => {
    const { status, headers, text } = await get(`${listener.url}/metrics`)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(text).toContain('\nsds_node_disks{system="a"} 1\n')
    expect(text).toContain('\nsds_exporter_build_info{version="1.2.3",node_version="v24"} 1\n')
    expect(await checkMetrics(text)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test.each(['text/plain', 'application/openmetrics-text'])(
    'serves selected families only, as %s',
    async (Accept) => {
      const names = ['sds_exporter_build_info', 'process_cpu_seconds_total', 'sds_node_disks']
      const query = names.map((name) => `collect%5B%5D=${name}`).join('&')
      const { status, text } = await get(`${listener.url}/metrics?${query}`, { Accept })
      expect(status).toBe(200)
      const series = text.split('\n').flatMap((line) => /^[a-z]\w*/.exec(line)?.[0] ?? [])
      expect(series.toSorted()).toEqual(names.toSorted())
      if (Accept === 'text/plain')
        expect(await checkMetrics(text)).toMatchObject({ code: 0, stdout: '', stderr: '' })
      else expect(text.endsWith('\n# EOF\n')).toBe(true)
      const packed = await get(`${listener.url}/metrics?${query}`, { Accept, 'Accept-Encoding': 'gzip' })
      const withoutCpu = (all: string) => all.replace(/^process_cpu_seconds_total .*$/m, '')
      expect(withoutCpu(gunzipSync(packed.body).toString())).toBe(withoutCpu(text))
    },
  )

  test.each([
    ['collect[]=sds_node_disk', "collect[]: no metric 'sds_node_disk'; did you mean sds_node_disks?"],
    ['collect[]=', "collect[]: no metric ''"],
    ['collect=sds_node_disks', `unknown parameter 'collect'; ${PARAMETER}`],
    ['name[]=sds_node_disks', `unknown parameter 'name[]'; ${PARAMETER}`],
  ])('refuses the query %s', async (query, reason) => {
    const { status, text } = await get(`${listener.url}/metrics?${query}`)
    expect([status, text.trimEnd()]).toEqual([400, reason])
  })

  test('serves OpenMetrics on request', async () => {
    const { headers, text } = await get(`${listener.url}/metrics`, { Accept: 'application/openmetrics-text' })
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    expect(text.endsWith('\n# EOF\n')).toBe(true)
    expect(text).not.toContain('\n\n')
  })

  test('HEAD returns the headers and no body', async () => {
    const { status, headers, body } = await request('HEAD', `${listener.url}/metrics`)
    expect(status).toBe(200)
    expect(Number(headers['content-length'])).toBeGreaterThan(1000)
    expect(body).toHaveLength(0)
  })

  test('serves the current exposition', async () => {
    state.value = 2
    expect((await get(`${listener.url}/metrics`)).text).toContain('sds_node_disks{system="a"} 2\n')
  })
})

test('a path is compared as it was sent; the error for another one lists all', async () => {
  for (const path of ['/metrics/', '/Metrics', '/%6detrics', '/nothing']) {
    const { status, text } = await get(`${listener.url}${path}`)
    expect(status).toBe(404)
    expect(text).toMatch(/Paths: \/metrics, \/probe, .*\/-\/reload\n$/)
  }
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
    expect([status, headers.allow]).toEqual([405, 'OPTIONS, POST'])
  })
})

describe('POST /-/reload of a browser', () => {
  let reloads = 0
  const own = () => new URL(listener.url).host
  const status = async (headers: Readonly<Record<string, string>>) => {
    state.reload = async () => {
      reloads++
    }
    const filled = Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', own())])
    const answer = await request('POST', `${listener.url}/-/reload`, { headers: Object.fromEntries(filled) })
    return answer.status
  }

  // admin_origin.test.ts has all headers.
  test.each([
    [{}, 200],
    [{ Origin: 'http://OWN', 'Sec-Fetch-Site': 'same-origin' }, 200],
    [{ Host: 'proxy.example.net', Origin: 'https://proxy.example.net' }, 200],
    [{ Origin: 'https://evil.example' }, 403],
    [{ Origin: 'http://OWN', 'Sec-Fetch-Site': 'cross-site' }, 403],
  ])('with %j is answered with %i', async (headers, expected) => {
    reloads = 0
    expect([await status(headers), reloads]).toEqual([expected, expected === 200 ? 1 : 0])
  })
})

describe('host names', () => {
  const origin = { listenHosts: ['127.0.0.1'], allowedHosts: ['metrics.example.net', 'proxy:8443'] }
  const handler = metricsApp({ exposition, reload: async () => undefined, origin })
  const limited = createListener({ address: '127.0.0.1:0', handler, log: silentLog })
  beforeAll(() => limited.start())
  afterAll(() => limited.stop())

  const statusOf = async (method: string, path: string, host: string) => {
    const Host = host.replace('PORT', new URL(limited.url).port)
    return (await request(method, `${limited.url}${path}`, { headers: { Host } })).status
  }

  // admin_origin.test.ts has all names.
  test('that are allowed are served, others get health and readiness only', async () => {
    for (const host of ['localhost:PORT', 'metrics.example.net', 'proxy:8443']) {
      expect(await statusOf('GET', '/metrics', host)).toBe(200)
      expect(await statusOf('POST', '/-/reload', host)).toBe(200)
    }
    for (const path of ['/', '/metrics', '/nothing'])
      expect(await statusOf('GET', path, 'evil.example')).toBe(421)
    expect(await statusOf('POST', '/-/reload', 'evil.example')).toBe(421)
    for (const path of OPEN_PATHS) expect(await statusOf('GET', path, 'evil.example')).toBe(200)
  })

  test('are not checked by default', async () => {
    expect((await get(`${listener.url}/metrics`, { Host: 'any.example' })).status).toBe(200)
  })
})
