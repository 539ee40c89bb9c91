import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createCollection, createHistoryDocument, type HistoryDocument } from '../../../src/history/recent.ts'
import { get } from '../../support/http.ts'
import { startProbes } from './probe_setup.ts'

const T = 1_772_323_200

/** A document with `nodes` series of two samples. */
function documentOf(nodes: number): HistoryDocument {
  const collection = createCollection({ system: 'a', pool: 'hot' }, Number.POSITIVE_INFINITY, 300)
  const series = { times: [T, T + 300], values: [1, 2] }
  const errors = { all: undefined, types: [] }
  const list = Array.from({ length: nodes }, (_, index) => ({
    id: `node-${index}`,
    name: undefined,
    attributes: new Map([['diskSpaceTotal', { series }] as const]),
    errors,
  }))
  collection.add({ nodes: list })
  return createHistoryDocument([collection.samples()], 0)
}

/** A listener for system a, which has a history, and system b, which has none. */
function start(document = documentOf(1), maxRequests?: number): Promise<string> {
  const history = (system: string) => (system === 'a' ? document : undefined)
  return startProbes({ probe: async () => undefined, history }, maxRequests)
}

const LABELS = '{system="a",pool="hot",node="node-0"}'

describe('GET /history', () => {
  test('sends the samples in the text format', async () => {
    const { status, headers, text } = await get(`${await start()}/history?system=a`)
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(text.replace(/^#.*\n/gm, '')).toBe(
      `sds_node_disk_space_total_bytes${LABELS} 1 ${T}000\nsds_node_disk_space_total_bytes${LABELS} 2 ${T + 300}000\n`,
    )
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)))
  })

  test('sends gzip on request, and the same text without it, also if it has many pieces', async () => {
    const url = await start(documentOf(50_000))
    const packed = await get(`${url}/history?system=a`, { 'Accept-Encoding': 'gzip' })
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' })
    const plain = await get(`${url}/history?system=a`)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.body.length).toBeGreaterThan(5_000_000)
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true)
  })

  test.each([
    ['', 400, 'the parameter system is missing; GET /sd lists the systems'],
    ['?system=c', 400, "no system 'c' is configured; GET /sd lists the systems"],
    [
      '?system=a&pool=p',
      400,
      "unknown parameter 'pool'; the parameter is system, a name in the configuration",
    ],
    ['?system=b', 404, 'The history is disabled: set history.enabled in the configuration.'],
  ])('with the query %j is answered %i', async (query, expected, reason) => {
    const { status, text } = await get(`${await start()}/history${query}`)
    expect([status, text]).toEqual([expected, `${reason}\n`])
  })

  test('is within the limit of responses in flight', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const document = documentOf(1)
    const slow: HistoryDocument = {
      packed: () => promise.then(() => document.packed()),
    }
    const url = await start(slow, 1)
    const first = get(`${url}/history?system=a`)
    await expect.poll(async () => (await get(`${url}/metrics`)).status).toBe(503)
    const { status, text } = await get(`${url}/history?system=a`)
    expect([status, text]).toEqual([503, 'Limit of concurrent requests reached (1), try again later.\n'])
    resolve()
    expect((await first).status).toBe(200)
  })
})
