import { get as begin } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { createPart } from '../../../src/metrics/lines.ts'
import type { Poller } from '../../../src/readings/poller.ts'
import { get, type HttpResponse } from '../../support/http.ts'
import { checkMetrics } from '../../support/promtool.ts'
import { waitFor } from '../../support/wait.ts'
import { startProbes } from './probe_setup.ts'

const HEADER = 'X-Prometheus-Scrape-Timeout-Seconds'
const exposition = createExposition([createPart((add) => add('sds_node_disks', 'system="a"', 1))])

/** A listener for systems a and b, and the calls of `probe`. */
async function start(probe: Poller['probe'], maxRequests?: number) {
  const probed = vi.fn(probe)
  const url = await startProbes({ probe: probed }, maxRequests)
  const ask = (query: string, headers = {}): Promise<HttpResponse> => get(`${url}/probe${query}`, headers)
  return { probed, ask, url }
}

/** Resolves when the signal aborts, and not before. */
const untilAborted: Poller['probe'] = (_system, _pool, signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(exposition)))

describe('GET /probe', () => {
  test('polls the system, and sends its metrics only', async () => {
    const { probed, ask } = await start(async () => exposition)
    const { status, headers, text } = await ask('?system=a')
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text.replace(/^(#.*)?\n/gm, '')).toBe('sds_node_disks{system="a"} 1\n')
    expect(probed.mock.calls.map(([system, pool]) => [system, pool])).toEqual([['a', undefined]])
    expect(await checkMetrics(text)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('closes the connection, so that a Service chooses an exporter for the next probe', async () => {
    const { ask } = await start(async () => exposition)
    for (const query of ['?system=a', '?system=b', '?system=c'])
      expect((await ask(query, { Connection: 'keep-alive' })).headers['connection']).toBe('close')
  })

  test('polls one pool of the system', async () => {
    const { probed, ask } = await start(async () => exposition)
    expect((await ask('?pool=urn%3Ap%3A1&system=b')).status).toBe(200)
    expect(probed.mock.calls.map(([system, pool]) => [system, pool])).toEqual([['b', 'urn:p:1']])
  })

  test.each([
    ['', 'the parameter system is missing; GET /sd lists the systems'],
    ['?pool=p', 'the parameter system is missing; GET /sd lists the systems'],
    ['?system=c', "no system 'c' is configured; GET /sd lists the systems"],
    ['?system=a&system=a', 'the parameter system may be given only once'],
    ['?system=a&pool=p&pool=q', 'the parameter pool may be given only once'],
    ['?system=a&pool=', 'the parameter pool is empty; leave it out to poll all pools'],
    ['?system=%E2%80%AEa', "no system '\\u202ea' is configured; GET /sd lists the systems"],
    ...['target', 'System'].map((name) => [
      `?system=a&${name}=http://203.0.113.1/`,
      `unknown parameter '${name}'; the parameters are system, a name in the configuration, and pool, an id`,
    ]),
  ])('with the query %j is refused, and sends nothing', async (query, reason) => {
    const { probed, ask } = await start(async () => exposition)
    const { status, text } = await ask(query)
    expect([status, text]).toEqual([400, `${reason}\n`])
    expect(probed).not.toHaveBeenCalled()
  })

  test('of an unknown pool is refused', async () => {
    const { ask } = await start(async () => undefined)
    const { status, text } = await ask('?system=a&pool=p')
    expect([status, text]).toEqual([400, "system 'a' has no pool 'p'\n"])
  })

  test('of a system that is no longer polled is no error of the client', async () => {
    const { ask } = await start(async () => undefined)
    const { status, text } = await ask('?system=a')
    const why = 'the exporter stops, or has a new configuration'
    expect([status, text]).toEqual([503, `System 'a' is no longer polled: ${why}.\n`])
  })

  test.each(['x', '0', '-1', '1e3', '10, 10'])('with %j as timeout is refused', async (timeout) => {
    const { probed, ask } = await start(async () => exposition)
    const { status, text } = await ask('?system=a', { [HEADER]: timeout })
    expect([status, text]).toEqual([400, `${HEADER} is not a number of seconds: '${timeout}'\n`])
    expect(probed).not.toHaveBeenCalled()
  })
})

describe('the time of a probe', () => {
  test.each(['0.2', '0.6', '1'])(
    'is that of Prometheus, %s s, less half a second or half of it',
    async (timeout) => {
      const { ask } = await start(untilAborted)
      const began = performance.now()
      expect((await ask('?system=a', { [HEADER]: timeout })).status).toBe(200)
      const seconds = Number(timeout)
      expect(performance.now() - began).toBeGreaterThan(1000 * Math.max(seconds - 0.5, seconds / 2) - 5)
    },
  )

  test('ends when the client leaves', async () => {
    const signals: AbortSignal[] = []
    const { url } = await start((...parameters) => {
      signals.push(parameters[2])
      return untilAborted(...parameters)
    })
    const client = begin(`${url}/probe?system=a`, { agent: false })
    client.on('error', () => undefined)
    await waitFor(() => signals.length === 1, { what: 'the probe' })
    expect(signals[0]?.aborted).toBe(false)
    client.destroy()
    await waitFor(() => signals[0]?.aborted, { what: 'the end of the probe' })
  })
})

test('probes that wait are limited for each system; other systems and /metrics are not affected', async () => {
  const ends: (() => void)[] = []
  const { probed, ask, url } = await start(
    (system) =>
      new Promise((resolve) => (system === 'a' ? ends.push(() => resolve(exposition)) : resolve(exposition))),
    2,
  )
  const waiting = [ask('?system=a'), ask('?system=a')]
  await waitFor(() => probed.mock.calls.length === 2, { what: 'two probes' })
  const { status, text } = await ask('?system=a')
  expect([status, text]).toEqual([503, 'Limit of concurrent requests reached (2), try again later.\n'])
  expect((await ask('?system=b')).status).toBe(200)
  expect((await get(`${url}/metrics`)).status).toBe(200)
  for (const end of ends) end()
  expect((await Promise.all(waiting)).map((answer) => answer.status)).toEqual([200, 200])
  const again = ask('?system=a')
  await waitFor(() => ends.length === 3, { what: 'another probe' })
  ends[2]?.()
  expect((await again).status).toBe(200)
})
