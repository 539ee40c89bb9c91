import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { NodeHistory } from '../../src/api/history/history.ts'
import { createCollection, createHistoryDocument, type PoolSamples } from '../../src/history/recent.ts'
import { checkMetrics } from '../support/promtool.ts'

const T = 1_772_323_200
const POOL = { system: 'a', pool: 'hot' }
const UNLIMITED = Number.POSITIVE_INFINITY

/** A node with total and allocated space, in bytes, at these times. */
function nodeAt(id: string, times: readonly number[]): NodeHistory {
  const series = { times, values: times.map((_, index) => index + 1) }
  const history = { series } as const
  const attributes = new Map([
    ['diskSpaceAllocated', history],
    ['diskSpaceTotal', history],
  ] as const)
  const errors = { all: undefined, types: [] }
  return { id, name: undefined, attributes, errors }
}

function samplesOf(
  windows: readonly (readonly NodeHistory[])[],
  pool = POOL,
  maxBytes = UNLIMITED,
): PoolSamples {
  const collection = createCollection(pool, maxBytes, 300)
  for (const nodes of windows) collection.add({ nodes })
  return collection.samples()
}

async function textOf(pools: readonly PoolSamples[], start = 0): Promise<string> {
  const { gzip, bytes } = await createHistoryDocument(pools, start).packed()
  const text = gunzipSync(gzip)
  expect(bytes).toBe(text.length)
  return text.toString()
}

const samplesIn = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('the last samples', () => {
  const pools = [
    samplesOf([[nodeAt('n1', [T, T + 300]), nodeAt('n2', [T])], [nodeAt('n1', [T + 600])]]),
    samplesOf([[nodeAt('n3', [T])]], { system: 'a', pool: 'cold' }),
  ]

  test('are one block for each family, with the samples of a series together and times in milliseconds', async () => {
    const text = await textOf(pools)
    expect(samplesIn(text)).toEqual(
      ['sds_node_disk_space_total_bytes', 'sds_node_disk_space_allocated_bytes'].flatMap((name) => [
        `${name}{system="a",pool="hot",node="n1"} 1 ${T}000`,
        `${name}{system="a",pool="hot",node="n1"} 2 ${T + 300}000`,
        `${name}{system="a",pool="hot",node="n1"} 1 ${T + 600}000`,
        `${name}{system="a",pool="hot",node="n2"} 1 ${T}000`,
        `${name}{system="a",pool="cold",node="n3"} 1 ${T}000`,
      ]),
    )
    expect(text.match(/^# (TYPE|HELP) \S+/gm)).toHaveLength(4)
  })

  test('are a text that promtool accepts', async () => {
    const single = await textOf([samplesOf([[nodeAt('n1', [T])]])])
    expect(await checkMetrics(single)).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('begin at the start of the document', async () => {
    expect(samplesIn(await textOf(pools, T + 300))).toHaveLength(4)
    expect(await textOf(pools, T + 601)).toBe('')
  })
})

test('samples that take more memory than allowed are refused with the setting', () => {
  const { bytes } = samplesOf([[nodeAt('n1', [T, T + 300])]])
  expect(bytes).toBeGreaterThan(2 * 2 * 16)
  expect(() => samplesOf([[nodeAt('n1', [T, T + 300])]], POOL, bytes)).not.toThrow()
  expect(() => samplesOf([[nodeAt('n1', [T, T + 300])]], POOL, bytes - 1)).toThrow(/history\.window/)
})

test('a text is made once', async () => {
  const document = createHistoryDocument([samplesOf([[nodeAt('n1', [T])]])], 0)
  const [one, other] = await Promise.all([document.packed(), document.packed()])
  expect(one).toBe(other)
})
