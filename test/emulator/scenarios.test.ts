import { describe, expect, test } from 'vitest'
import type { Scenario } from '../../src/emulator/model/scenarios.ts'
import type { Emulator } from '../support/programs/emulator.ts'
import {
  call,
  current,
  feedPath,
  type Json,
  NOW_SECONDS,
  nodesOf,
  seriesIn,
  startEmulator,
} from './client.ts'

async function allNodes(emulator: Emulator, query = 'dataType=current'): Promise<Json[]> {
  return [...(await nodesOf(emulator, query)), ...(await nodesOf(emulator, query, 1))]
}

function inScenario(scenario: Scenario, nodes = 5) {
  return startEmulator({ scenario, nodes })
}

describe('scenario', () => {
  test('healthy: no faults', async () => {
    for (const node of await allNodes(await inScenario('healthy'))) {
      expect(node).toMatchObject({ healthStatus: 'Good', numBadDisks: '0', numReadyToReplaceDisks: '0' })
      expect(current(node, 'diskSpaceAllocatedPercentage')).toBeLessThan(80)
      expect(Number(node.transactionErrorsCurrent.all.Rate)).toBeLessThan(1)
      expect(current(node, 'transactionWriteLatency')).toBeLessThan(100)
      expect(current(node, 'diskSpaceOfflineTotal')).toBe(0)
    }
  })

  test('node-down: one node is not accessible, and its pool rebuilds data', async () => {
    const emulator = await inScenario('node-down')
    const nodes = await allNodes(emulator)
    const states = nodes.map((node) => node.healthStatus)
    expect(states.filter((state) => state === 'NotAccessible')).toHaveLength(1)
    expect(current(nodes[1], 'diskWriteBandwidthRecovery')).toBeGreaterThan(1)
    const pools = (await call(emulator, '/dashboard/zones/localzone/storagepools')).json()._embedded.instances
    expect([pools[0].numNodes, pools[0].numGoodNodes, pools[0].numBadNodes]).toEqual(['5', '4', '0'])
  })

  test('maintenance: one node is in maintenance with all its disks, and the pool is not fuller for it', async () => {
    const emulator = await inScenario('maintenance')
    const [node, ...others] = await nodesOf(emulator)
    expect(node).toMatchObject({ healthStatus: 'Maintenance', numGoodDisks: '0', numBadDisks: '0' })
    expect(node.numMaintenanceDisks).toBe(node.numDisks)
    for (const attribute of ['diskSpaceTotal', 'diskSpaceAllocated', 'diskSpaceAllocatedPercentage'])
      expect(current(node, attribute)).toBe(0)
    expect(current(node, 'transactionReadTransactionsPerSec')).toBe(0)
    expect(current(others[0], 'diskSpaceOfflineTotal')).toBeGreaterThan(0)
    expect(others.map(({ healthStatus }) => healthStatus)).toEqual(['Good', 'Good', 'Good', 'Good'])
    const [forecasting] = await nodesOf(emulator, 'category=capacityForecast')
    const forecasts = forecasting.allocatedCapacityForecast.map(({ forecast }: Json) => forecast)
    expect(new Set(forecasts)).toEqual(new Set(['N/A']))
    const pools = (await call(emulator, '/dashboard/zones/localzone/storagepools')).json()._embedded.instances
    expect([pools[0].numGoodNodes, pools[0].numMaintenanceNodes]).toEqual(['4', '1'])
  })

  test('disk-failures: disks are bad or to be replaced, one node is Bad and one is Suspect', async () => {
    const nodes = await allNodes(await inScenario('disk-failures'))
    const states = nodes.map((node) => node.healthStatus)
    expect(states).toContain('Bad')
    expect(states).toContain('Suspect')
    expect(nodes.some((node) => Number(node.numBadDisks) >= 3)).toBe(true)
    expect(nodes.some((node) => Number(node.numReadyToReplaceDisks) > 0)).toBe(true)
    expect(nodes.some((node) => Number(node.numMaintenanceDisks) > 0)).toBe(true)
  })

  test.each([1, 5])(
    'filling-up: the first pool is above 90 %%, the other reaches 90 %% within days (%i nodes)',
    async (size) => {
      const emulator = await inScenario('filling-up', size)
      const full = await nodesOf(emulator, 'category=capacity&dataType=current')
      const sum = (attribute: string) => full.reduce((total, node) => total + current(node, attribute), 0)
      expect(sum('diskSpaceAllocated') / sum('diskSpaceTotal')).toBeGreaterThan(0.9)
      const [filling] = await nodesOf(
        emulator,
        'category=capacityForecast&cfTimeFrame=7d;4w&cfTarget=80;90',
        1,
      )
      const days = filling.allocatedCapacityForecast.map(({ forecast }: Json) => Number(forecast))
      expect(days).toEqual([0, days[1], 0, days[3]])
      for (const day of [days[1], days[3]]) {
        expect(day).toBeGreaterThan(0)
        expect(day).toBeLessThan(7)
      }
    },
  )

  test('error-burst: many transactions fail with system errors and user errors', async () => {
    for (const node of await allNodes(await inScenario('error-burst'))) {
      expect(Number(node.transactionErrorsCurrent.all.Rate)).toBeGreaterThan(5)
      const types = node.transactionErrorsCurrent.types
      expect(types.map(({ errorType }: Json) => errorType)).toEqual(
        expect.arrayContaining(['500 (S3)', '404 (S3)']),
      )
      const rate = (category: string) =>
        types
          .filter((type: Json) => type.category === category)
          .reduce((sum: number, type: Json) => sum + Number(type.errorRate.Rate), 0)
      expect(rate('System')).toBeGreaterThan(1)
      expect(rate('User')).toBeGreaterThan(0.5)
    }
  })

  test('slow: latencies are high, and only responses under /dashboard/ are delayed', async () => {
    const emulator = await inScenario('slow', 1)
    let isServed = false
    const feed = call(emulator, feedPath(emulator, 'dataType=current')).then((response) => {
      isServed = true
      return response
    })
    expect((await call(emulator, '/vdc/nodes.json')).status).toBe(200)
    expect(isServed).toBe(false)
    const [node] = (await feed).json()._embedded.instances
    expect(current(node, 'transactionReadLatency')).toBeGreaterThan(200)
    expect(current(node, 'transactionWriteLatency')).toBeGreaterThan(400)
  })
})

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
