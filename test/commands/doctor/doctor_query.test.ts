import { describe, expect, test } from 'vitest'
import { decodeFeed } from '../../../src/api/feed/feed.ts'
import type { PerformanceReading } from '../../../src/api/query/values/performance.ts'
import { compareBandwidths } from '../../../src/commands/doctor/system/findings.ts'
import { startEmulator } from '../../api/client_setup.ts'
import { examine, examineEmulator, finding } from './doctor_setup.ts'

const SMALL = { pools: 1, nodes: 2 } as const

describe('query', () => {
  test('is available: counts nodes', async () => {
    const found = await examineEmulator({ ...SMALL, profile: 'modern' })
    expect(found.of('query')).toEqual([finding('ok', 'available: values of 2 nodes')])
    expect(found.with('fail')).toEqual([])
    // The ages of attributes that come from the Flux API are checked, too.
    expect(found.of('samples')).toMatchObject([finding('ok', /CPU.*transactions .*disk/)])
    expect(found.of('values')).toMatchObject([finding('ok', /^a second response has \d+ same values/)])
  })

  const FORBIDDEN =
    /^forbidden: the account lacks the role .*\(HTTP 500, code 6401\); it says: Insufficient permissions$/
  const ROLE = /^check that the account has the role SYSTEM_MONITOR, .*, or set performance\.source: feed$/
  test.each([
    ['query-error:role', finding('fail', FORBIDDEN, ROLE)],
    ['no-rows', finding('warn', /^available, but without current data/, /wait for ten minutes/)],
  ])('reports %s with the remedy', async (fault, expected) => {
    const found = await examineEmulator({ ...SMALL, profile: 'modern', faults: [fault] })
    expect(found.of('query').slice(0, 1)).toEqual([expected])
  })

  test('warns of a system without a Flux API', async () => {
    const found = await examineEmulator({ ...SMALL, profile: 'community' })
    const text = /^not there: .*Community Edition \(HTTP 503, code 6503\)/
    const remedy = /Community Edition.*performance\.source: feed/
    expect(found.of('query')).toMatchObject([finding('warn', text, remedy)])
    expect(found.with('fail')).toEqual([])
    expect(found.of('values')).toMatchObject([{ status: 'ok' }])
  })

  test('reports that rates of releases with the range defect need two polls', async () => {
    const found = await examineEmulator({ ...SMALL, profile: 'range-defect' })
    const text = /^available: .*; this release returns wrong ranges: rates are those/
    expect(found.of('query')[0]).toEqual(finding('ok', text))
    expect(found.of('values')).toMatchObject([{ status: 'ok' }])
  })

  test('sends no query if it is disabled', async () => {
    await using emulator = await startEmulator({ ...SMALL, profile: 'modern' })
    const found = await examine({ base_url: emulator.url }, { performance: { source: 'feed' } })
    const text = /^not polled .* no performance metrics: auto would poll it$/
    expect(found.of('query')).toEqual([finding('info', text)])
    expect(emulator.log.count('query')).toBe(0)
  })

  test('is not needed for a system whose feed has all figures', async () => {
    const found = await examineEmulator({ ...SMALL, profile: 'documented' })
    const text = /^not there: .* \(HTTP 404.*; not needed, because the dashboard API has/
    expect(found.of('query')).toMatchObject([finding('info', text)])
  })
})

describe('bandwidths', () => {
  const BANDWIDTHS = ['bandwidth of transactions', 'bandwidth of the network']

  test('of both sources agree', async () => {
    const found = await examineEmulator(SMALL)
    expect(found.of('query')).toMatchObject([
      finding('ok', /; not polled, because the dashboard API has performance metrics$/),
      ...BANDWIDTHS.map((subject) => ({ status: 'ok', subject, text: expect.stringContaining('agree') })),
    ])
  })

  /** A feed and answers with bytes per second of two nodes for one unit of the feed. */
  function compare(bytesPerUnit: number, change: (node: number) => number = () => 1, laterSeconds = 100) {
    const t = 1_785_312_600
    const nodes = [4, 5, 6]
    const _instances = nodes.map((value) => {
      return { id: `n${value}`, transactionReadBandwidthCurrent: [{ t, Bandwidth: value }] }
    })
    const feed = decodeFeed({ _embedded: { _instances } })
    const valueAt = (value: number) =>
      ({ t: t + laterSeconds, value: value * bytesPerUnit * change(value), unit: 'B/s' }) as const
    const performance: PerformanceReading = {
      stop: t + 200,
      maxAgeOf: () => 1320,
      rejected: [],
      nodes: nodes.map((value) => ({
        nodeId: `N${value}`,
        host: undefined,
        rows: 1,
        values: new Map([['transactionReadBandwidth', valueAt(value)]]),
        transactions: undefined,
        errorTypes: undefined,
        latencies: new Map(),
        interfaces: [],
      })),
    }
    return compareBandwidths([feed], performance, 'MB/s')
  }

  test.each([
    ['MB/s', 1e6, 'ok', 'agree', undefined],
    ['kB/s', 1e3, 'warn', 'are 1000 times', 'set performance.feed_bandwidth_unit: kB/s for this system'],
    ['B/s', 1, 'warn', 'are 1000000 times', 'set performance.feed_bandwidth_unit: B/s for this system'],
    ['an unknown unit', 30_000, 'warn', 'are 33.33 times', expect.stringContaining('performance.interfaces')],
  ])('in %s are recognized', (_, bytes, status, text, remedy) => {
    expect(compare(bytes)).toMatchObject([
      { status, text: expect.stringContaining(text), ...(remedy !== undefined && { remedy }) },
    ])
  })

  test('that differ by the load of another interval agree', () => {
    expect(compare(1e6, () => 1.3)).toMatchObject([{ status: 'ok' }])
    expect(compare(1e6, () => 2, -200)).toMatchObject([{ status: 'ok' }])
    expect(compare(1e3, () => 0.8)).toMatchObject([{ text: expect.stringContaining('1000 times') }])
  })
})
