import { describe, expect, test } from 'vitest'
import { current, NOW_SECONDS, nodesOf, seriesIn, startEmulator } from './client.ts'

describe('setScenario', () => {
  test('applies from the current five minutes on, not to the past', async () => {
    const emulator = await startEmulator()
    const query = `category=traffic&startTime=${NOW_SECONDS - 3600}&interval=300`
    const [before] = await nodesOf(emulator, query)
    emulator.setScenario('node-down')
    expect(emulator.scenario()).toBe('node-down')
    const [after] = await nodesOf(emulator, query)
    expect(after.healthStatus).toBe('NotAccessible')
    expect(current(after, 'transactionReadLatency')).toBe(0)
    const [old, changed] = [before, after].map((node) => seriesIn(node, 'transactionReadLatency'))
    expect(changed?.slice(0, -1)).toEqual(old?.slice(0, -1))
    expect(changed?.at(-1)?.value).toBe(0)
    emulator.setScenario('healthy')
    expect(await nodesOf(emulator, query)).toEqual([before, ...(await nodesOf(emulator, query)).slice(1)])
  })

  test('accepts a time in the past', async () => {
    const emulator = await startEmulator()
    emulator.setScenario('node-down', NOW_SECONDS - 7_200)
    emulator.setScenario('healthy', NOW_SECONDS - 3_600)
    const [node] = await nodesOf(emulator, `category=traffic&startTime=${NOW_SECONDS - 10_800}&interval=600`)
    for (const { t, value } of seriesIn(node, 'transactionReadTransactionsPerSec')) {
      const down = t >= NOW_SECONDS - 7_200 && t < NOW_SECONDS - 3_600
      expect([t, value === 0]).toEqual([t, down])
    }
  })

  test('-Infinity replaces the whole past', async () => {
    const emulator = await startEmulator()
    emulator.setScenario('node-down', Number.NEGATIVE_INFINITY)
    const [node] = await nodesOf(emulator, 'dataType=historical&category=traffic')
    expect(seriesIn(node, 'transactionReadLatency').every(({ value }) => value === 0)).toBe(true)
  })
})
