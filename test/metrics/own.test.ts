import { Registry } from 'prom-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { RESULTS } from '../../src/api/errors/reasons.ts'
import { createOwnMetrics } from '../../src/metrics/own.ts'
import { oneSample, parseExposition } from './exposition_text.ts'

const create = () => createOwnMetrics({ version: '1.2.3', nodeVersion: 'v24.0.0' })
const request = (system: string, seconds = 0.2) => ({ system, operation: 'nodes', code: '200', seconds })

/** Values of a family by the values of their labels, joined by a space. */
function valuesOf(text: string, family: string): Record<string, number> {
  return Object.fromEntries(
    parseExposition(text)
      .filter(({ name }) => name === family)
      .map(({ labels, value }) => [Object.values(labels).join(' '), value]),
  )
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('own metrics', () => {
  test('show the build from the beginning, and no counter before the first call', async () => {
    const text = await create().render('text')
    expect(valuesOf(text, 'sds_exporter_build_info')).toEqual({ '1.2.3 v24.0.0': 1 })
    expect(text).not.toMatch(/^sds_(api|pool)_/m)
  })

  test('count requests, logins and polls of the Flux API', async () => {
    const own = create()
    own.request(request('a'))
    own.login('a', 'ok')
    own.queryPoll('a', 'empty')
    own.unmatchedRows('a', 0)
    const text = await own.render('text')
    expect(valuesOf(text, 'sds_api_requests_total')).toEqual({ 'a nodes 200': 1 })
    expect(valuesOf(text, 'sds_api_logins_total')).toEqual({ 'a ok': 1 })
    expect(valuesOf(text, 'sds_query_polls_total')).toEqual({ 'a empty': 1 })
    expect(valuesOf(text, 'sds_query_unmatched_rows_total')).toEqual({ a: 0 })
  })

  test('begin at 0 for every result of a system, and keep what was counted', async () => {
    const own = create()
    own.addSystem('a', { isQueried: true })
    own.addSystem('b', { isQueried: false })
    const first = await own.render('text')
    const zeros = (system: string, results: readonly string[]) =>
      Object.fromEntries(results.map((result) => [`${system} ${result}`, 0]))
    expect(valuesOf(first, 'sds_api_logins_total')).toEqual({
      ...zeros('a', RESULTS),
      ...zeros('b', RESULTS),
    })
    expect(valuesOf(first, 'sds_query_polls_total')).toEqual(zeros('a', [...RESULTS, 'empty']))
    expect(valuesOf(first, 'sds_query_unmatched_rows_total')).toEqual({ a: 0 })
    own.login('a', 'auth')
    own.addSystem('a', { isQueried: true })
    const text = await own.render('text')
    expect(oneSample(text, 'sds_api_logins_total', { system: 'a', result: 'auth' }).value).toBe(1)
  })

  test('sort durations of requests into buckets', async () => {
    const own = create()
    own.request(request('a', 0.2))
    own.request(request('a', 31))
    const text = await own.render('text')
    const bucket = (le: string) => oneSample(text, 'sds_api_request_duration_seconds_bucket', { le }).value
    expect([bucket('0.1'), bucket('0.25'), bucket('30'), bucket('+Inf')]).toEqual([0, 1, 1, 2])
    expect(oneSample(text, 'sds_api_request_duration_seconds_sum').value).toBe(31.2)
  })

  test('show the number of series and the last load of the configuration', async () => {
    const own = create()
    own.series(42)
    own.reloaded(true, 100)
    const good = await own.render('text')
    own.reloaded(false, 200)
    const bad = await own.render('text')
    const reload = (text: string) =>
      [
        'sds_exporter_config_last_reload_successful',
        'sds_exporter_config_last_reload_success_timestamp_seconds',
      ].map((name) => oneSample(text, name).value)
    expect(oneSample(good, 'sds_exporter_series').value).toBe(42)
    expect([reload(good), reload(bad)]).toEqual([
      [1, 100],
      [0, 100],
    ])
  })
})

describe('forgetting', () => {
  const FAMILIES = [
    'sds_api_requests_total',
    'sds_api_request_duration_seconds_count',
    'sds_api_logins_total',
  ]
  const counted = () => {
    const own = create()
    for (const system of ['a', 'b']) {
      own.request(request(system))
      own.login(system, 'ok')
    }
    return own
  }

  test('a system removes all its series and no others', async () => {
    const own = counted()
    await own.render('text')
    own.forgetSystem('a')
    await expect.poll(() => own.render('text')).not.toContain('system="a"')
    const text = await own.render('text')
    const keys = FAMILIES.map((family) => Object.keys(valuesOf(text, family)))
    expect(keys).toEqual([['b nodes 200'], ['b nodes'], ['b ok']])
  })
})

describe('the exposition', () => {
  test('has one empty line between families in the text format', async () => {
    const own = create()
    own.login('a', 'ok')
    const text = await own.render('text')
    const families = text.split('\n\n')
    expect(families.length).toBeGreaterThan(20)
    expect(families.filter((family) => !family.startsWith('# HELP '))).toEqual([])
  })

  test('has no empty line in OpenMetrics, and the same families', async () => {
    const own = create()
    own.login('a', 'ok')
    const text = await own.render('openmetrics')
    const lines = text.split('\n')
    expect(lines.pop()).toBe('')
    expect(lines).not.toContain('')
    const names = (exposition: string) => new Set(parseExposition(exposition).map(({ name }) => name))
    expect(names(text)).toEqual(names(await own.render('text')))
  })

  test('has the units of OpenMetrics', async () => {
    const own = create()
    own.request(request('a'))
    own.login('a', 'ok')
    const lines = (await own.render('openmetrics')).split('\n').filter((line) => line.startsWith('# UNIT '))
    expect(lines).toContain('# UNIT sds_api_request_duration_seconds seconds')
    expect(lines).toContain('# UNIT process_cpu_seconds seconds')
    expect(lines).toContain('# UNIT process_resident_memory_bytes bytes')
    expect(lines.filter((line) => !/_(\w+) \1$/.test(line))).toEqual([])
  })

  test('leaves out gauges whose names end like those of counters', async () => {
    const text = await create().render('text')
    const gauges = [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name)
    expect(gauges).toContain('nodejs_active_handles')
    expect(gauges.filter((name) => name?.endsWith('_total'))).toEqual([])
  })

  test('is read after a change, and once a second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const collect = vi.spyOn(Registry.prototype, 'getMetricsAsJSON')
    const own = create()
    const collections = async (format: 'text' | 'openmetrics') => {
      collect.mockClear()
      await own.render(format)
      return collect.mock.calls.length
    }
    expect([await collections('text'), await collections('text')]).toEqual([1, 0])
    expect(await collections('openmetrics')).toBe(0)
    own.login('a', 'ok')
    expect([await collections('text'), await collections('text')]).toEqual([1, 0])
    vi.advanceTimersByTime(999)
    expect(await collections('text')).toBe(0)
    vi.advanceTimersByTime(1)
    expect([await collections('text'), await collections('text')]).toEqual([1, 0])
  })
})
