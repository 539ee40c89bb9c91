import { describe, expect, test } from 'vitest'
import { daysUntil, regression } from '../../src/emulator/model/forecast.ts'
import { current, type Json, NOW_SECONDS, nodesOf, seriesIn, startEmulator } from './client.ts'

const DAY = 86_400
const HOUR = 3_600

/** Hourly points of a line that has the value `level` at `now` and grows by `perDay` a day. */
function line(level: number, perDay: number, days: number, now = NOW_SECONDS) {
  return Array.from({ length: days * 24 }, (_, hour) => ({
    t: now - hour * HOUR,
    value: level - (perDay / 24) * hour,
  })).reverse()
}

describe('regression', () => {
  test('finds a known line', () => {
    const { slope, level } = regression(line(500, 24, 7), NOW_SECONDS)
    expect(slope * DAY).toBeCloseTo(24, 9)
    expect(level).toBeCloseTo(500, 9)
  })

  test('is the least-squares line of scattered points', () => {
    // Computed by hand: mean t 2, mean value 3, slope (4 + 0 + 0 + 1 + 4) / 10.
    const values = [1, 3, 2, 4, 5]
    const points = values.map((value, t) => ({ t, value }))
    const { slope, level } = regression(points, 10)
    expect(slope).toBeCloseTo(0.9, 12)
    expect(level).toBeCloseTo(10.2, 12)
  })
})

describe('days until the target', () => {
  test('are rounded up to whole days', () => {
    const days = daysUntil([line(500, 10, 7), line(500, 25, 28)], NOW_SECONDS, 500)
    expect(days(0, 600)).toBe(10)
    expect(days(0, 601)).toBe(11)
    expect(days(1, 600)).toBe(4)
  })

  test('are 0 when the target is already reached', () => {
    const days = daysUntil([line(500, 10, 7)], NOW_SECONDS, 500)
    expect(days(0, 500)).toBe(0)
    expect(days(0, 499)).toBe(0)
    expect(days(0, 501)).toBe(1)
  })

  test('are undefined when capacity shrinks in any time frame', () => {
    const days = daysUntil([line(500, 10, 7), line(500, -1, 28)], NOW_SECONDS, 500)
    expect([days(0, 600), days(1, 600), days(0, 400)]).toEqual([undefined, undefined, undefined])
  })

  test('are undefined with fewer than two points in any time frame', () => {
    const one = line(500, 10, 7).slice(-1)
    expect(daysUntil([line(500, 10, 7), one], NOW_SECONDS, 500)(0, 600)).toBeUndefined()
    expect(daysUntil([line(500, 10, 7), []], NOW_SECONDS, 500)(0, 600)).toBeUndefined()
    expect(daysUntil([line(500, 10, 1).slice(-2)], NOW_SECONDS, 500)(0, 600)).toBe(10)
  })

  test('are undefined for a flat line', () => {
    expect(daysUntil([line(500, 0, 7)], NOW_SECONDS, 500)(0, 600)).toBeUndefined()
  })
})

describe('served forecasts', () => {
  test('match the used capacity that the same system serves', async () => {
    const emulator = await startEmulator({ scenario: 'filling-up' })
    const nodes = await nodesOf(
      emulator,
      'category=capacityForecast&cfTimeFrame={3d;2w}&cfTarget={60;89;95}',
      1,
    )
    const histories = await nodesOf(emulator, `category=capacity&startTime=${NOW_SECONDS - 14 * DAY}`, 1)
    for (const [index, node] of nodes.entries()) {
      const expected = [3, 14].flatMap((days) =>
        [60, 89, 95].map((target) => expectedEntry(histories[index], days, target)),
      )
      expect(node.allocatedCapacityForecast).toEqual(expected)
    }
    expect(nodes[0].allocatedCapacityForecast[0]).toEqual({
      unit: 'day',
      forecast: '0',
      history: '3',
      target: '60',
    })
    expect(Number(nodes[0].allocatedCapacityForecast[1].forecast)).toBeGreaterThan(0)
  })

  test('are N/A with an empty unit for a node that joined within the hour', async () => {
    const nodes = await nodesOf(await startEmulator({ newNodeHours: 1 }), 'category=capacityForecast')
    for (const entry of nodes[4].allocatedCapacityForecast)
      expect(entry).toMatchObject({ unit: '', forecast: 'N/A' })
  })

  test('are N/A for a node with falling capacity and a full history', async () => {
    const emulator = await startEmulator()
    const [, , , node] = await nodesOf(emulator, 'category=capacityForecast')
    const [, , , history] = await nodesOf(emulator, `category=capacity&startTime=${NOW_SECONDS - 7 * DAY}`)
    const used = seriesIn(history, 'diskSpaceAllocated')
    expect(used.length).toBe(168)
    expect(used.at(-1)?.value).toBeLessThan(used[0]?.value ?? 0)
    for (const entry of node.allocatedCapacityForecast)
      expect(entry).toMatchObject({ unit: '', forecast: 'N/A' })
  })

  test('are numbers for nodes with growing capacity', async () => {
    const [node] = await nodesOf(await startEmulator(), 'category=capacityForecast')
    for (const entry of node.allocatedCapacityForecast) {
      expect(entry.unit).toBe('day')
      expect(entry.forecast).toMatch(/^\d+$/)
    }
  })
})

/** An independent implementation: the textbook formula with sums, applied to the served series. */
function expectedEntry(node: Json, days: number, target: number) {
  const points = seriesIn(node, 'diskSpaceAllocated').filter(({ t }) => t > NOW_SECONDS - days * DAY)
  const n = points.length
  const x = (t: number) => (t - NOW_SECONDS) / DAY
  const sum = (of: (point: { t: number; value: number }) => number) =>
    points.reduce((total, point) => total + of(point), 0)
  const sx = sum(({ t }) => x(t))
  const sy = sum(({ value }) => value)
  const slope =
    (n * sum(({ t, value }) => x(t) * value) - sx * sy) / (n * sum(({ t }) => x(t) ** 2) - sx ** 2)
  const targetBytes = (current(node, 'diskSpaceTotal') * target) / 100
  const reached = current(node, 'diskSpaceAllocated') >= targetBytes
  const forecast = reached ? 0 : Math.max(1, Math.ceil((targetBytes - (sy - slope * sx) / n) / slope))
  expect(slope).toBeGreaterThan(0)
  return { unit: 'day', forecast: String(forecast), history: String(days), target: String(target) }
}
