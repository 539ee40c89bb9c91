import { describe, expect, test } from 'vitest'
import { call, current, feedPath, NOW, NOW_SECONDS, nodesOf, seriesIn, startEmulator } from './client.ts'

const PERIOD = `startTime=${NOW_SECONDS - 86_400}&endTime=${NOW_SECONDS}&interval=900`

describe('history', () => {
  test('is the same for the same seed, at a later time and in another emulator', async () => {
    const early = await startEmulator({ seed: 'a', newNodes: 0 })
    const late = await startEmulator({ seed: 'a', newNodes: 0, clock: () => NOW + 40 * 86_400_000 })
    const query = `dataType=historical&category=traffic&${PERIOD}`
    expect((await call(late, feedPath(late, query))).text).toBe(
      (await call(early, feedPath(early, query))).text,
    )
  })

  test('differs for another seed', async () => {
    const [one] = await nodesOf(await startEmulator({ seed: 'a' }), PERIOD)
    const [other] = await nodesOf(await startEmulator({ seed: 'b' }), PERIOD)
    expect(one.storagePoolId).not.toBe(other.storagePoolId)
    expect(seriesIn(one, 'nodeCpuUtilization')).not.toEqual(seriesIn(other, 'nodeCpuUtilization'))
  })

  test('contains the current values of that time', async () => {
    const aligned = Math.floor(NOW_SECONDS / 3600) * 3600
    const then = await startEmulator({ clock: () => aligned * 1000 })
    const later = await startEmulator({ clock: () => NOW + 86_400_000 })
    const [present] = await nodesOf(then, 'dataType=current')
    const [past] = await nodesOf(
      later,
      `dataType=historical&startTime=${aligned}&endTime=${aligned}&interval=300`,
    )
    for (const name of [
      'nodeCpuUtilization',
      'transactionReadLatency',
      'diskSpaceAllocated',
      'diskWriteBandwidthGeo',
    ]) {
      const snapshot = present[`${name}Current`]
      const [tag = ''] = Object.keys(snapshot).filter((key) => key !== 't')
      expect(seriesIn(past, name)).toEqual([{ t: aligned, value: Number(snapshot[tag]) }])
    }
  })
})

describe('setScenario', () => {
  test('applies from the current five minutes on, not to the past', async () => {
    const emulator = await startEmulator()
    const query = `category=traffic&startTime=${NOW_SECONDS - 3600}&interval=300`
    const [before] = await nodesOf(emulator, query)
    emulator.setScenario('node-down')
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
