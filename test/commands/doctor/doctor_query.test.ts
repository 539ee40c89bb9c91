import { describe, expect, test } from 'vitest'
import { decodeFeed } from '../../../src/api/feed/feed.ts'
import type { PerformanceReading } from '../../../src/api/query/values/performance.ts'
import { compareBandwidths } from '../../../src/commands/doctor/system/query.ts'
import { startEmulator } from '../../api/client_setup.ts'
import { examine, examineEmulator, finding } from './doctor_setup.ts'

const SMALL = { pools: 1, nodes: 2 } as const

describe('query', () => {
  test('is available: counts nodes, and the attributes of both sources', async () => {
    const found = await examineEmulator({ ...SMALL, profile: 'modern' })
    expect(found.of('query')).toEqual([
      { status: 'ok', text: expect.stringMatching(/^available: values of 2 nodes$/) },
      finding(
        'ok',
        'with the dashboard API: CPU/memory/network 9 of 9, transactions 5 of 7, disk I/O 14 of 14',
        undefined,
        'hot',
      ),
    ])
    expect(found.with('fail')).toEqual([])
    // The ages of attributes that come from the Flux API are checked, too.
    expect(found.of('samples')).toMatchObject([
      { status: 'ok', text: expect.stringMatching(/CPU.*transactions .*disk/) },
    ])
    expect(found.of('values')).toMatchObject([
      { status: 'ok', text: expect.stringMatching(/^a second response has \d+ same values/) },
    ])
  })

  test.each([
    [
      'a missing role',
      ['query-error:role'],
      'fail',
      /^forbidden: the account lacks the role .*\(HTTP 500, code 6401\); it says: Insufficient permissions$/,
      /^the role SYSTEM_MONITOR is there: check .*, or set performance\.source: feed$/,
    ],
    ['no current data', ['no-rows'], 'warn', /^available, but without current data/, /wait for ten minutes/],
  ] as const)('reports %s with the remedy', async (_, faults, status, text, remedy) => {
    const [finding] = (await examineEmulator({ ...SMALL, profile: 'modern', faults })).of('query')
    expect(finding).toEqual({
      status,
      text: expect.stringMatching(text),
      remedy: expect.stringMatching(remedy),
    })
  })

  test('warns of a system without a Flux API', async () => {
    const found = await examineEmulator({ ...SMALL, profile: 'community' })
    expect(found.of('query')).toMatchObject([
      finding(
        'warn',
        /^not there: .*Community Edition \(HTTP 503, code 6503\)/,
        /Community Edition.*performance\.source: feed/,
      ),
    ])
    expect(found.with('fail')).toEqual([])
    expect(found.of('values')).toMatchObject([{ status: 'ok' }])
  })

  test('reports that rates of releases with the range defect need two polls', async () => {
    const found = await examineEmulator({ ...SMALL, profile: 'range-defect' })
    expect(found.of('query')[0]).toEqual({
      status: 'ok',
      text: expect.stringMatching(/^available: .*; this release returns wrong ranges: rates are those/),
    })
    expect(found.of('values')).toMatchObject([{ status: 'ok' }])
  })

  test('sends no query if it is disabled', async () => {
    await using emulator = await startEmulator({ ...SMALL, profile: 'modern' })
    const found = await examine({ base_url: emulator.url }, { performance: { source: 'feed' } })
    expect(found.of('query')).toEqual([
      finding('info', /^not polled .* no performance metrics: auto would poll it$/),
    ])
    expect(emulator.log.count('query')).toBe(0)
  })

  test('is not needed for a system whose feed has all figures', async () => {
    const found = await examineEmulator({ ...SMALL, profile: 'documented' })
    expect(found.of('query')).toMatchObject([
      finding(
        'info',
        /^not there: .*older than 3\.5.* \(HTTP 404.*; not needed, because the dashboard API has/,
      ),
    ])
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
    const feed = decodeFeed({
      _embedded: {
        _instances: nodes.map((value) => ({
          id: `n${value}`,
          transactionReadBandwidthCurrent: [{ t, Bandwidth: value }],
        })),
      },
    })
    const performance: PerformanceReading = {
      stop: t + 200,
      maxAgeOf: () => 1320,
      rejected: [],
      nodes: nodes.map((value) => ({
        nodeId: `N${value}`,
        host: undefined,
        rows: 1,
        values: new Map([
          [
            'transactionReadBandwidth',
            { t: t + laterSeconds, value: value * bytesPerUnit * change(value), unit: 'B/s' },
          ],
        ] as const),
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
