import { describe, expect, test } from 'vitest'
import { current, type Json, NOW_SECONDS, nodesOf, seriesIn, startEmulator } from './client.ts'

const DAY = 86_400

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
