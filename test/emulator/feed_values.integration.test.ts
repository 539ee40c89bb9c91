import { describe, expect, test } from 'vitest'
import { ATTRIBUTES } from '../../src/catalogue.ts'
import { current, type Json, NOW_SECONDS, nodesOf, seriesIn, startEmulator, valueIn } from './client.ts'

/** From the midnight before, without the interval that ends then. */
const MIDNIGHT = NOW_SECONDS - (NOW_SECONDS % 86_400)
const DAY = `dataType=historical&startTime=${MIDNIGHT - 86_399}&endTime=${MIDNIGHT}`
const PURPOSES = ['Ec', 'Cc', 'Recovery', 'Geo', 'User', 'Xor']
const SCENARIOS = [
  'healthy',
  'node-down',
  'maintenance',
  'disk-failures',
  'filling-up',
  'error-burst',
] as const

describe('current values are consistent', () => {
  test.each(SCENARIOS)('scenario %s', async (scenario) => {
    const emulator = await startEmulator({ scenario })
    const nodes = [...(await nodesOf(emulator)), ...(await nodesOf(emulator, '', 1))]
    expect(nodes).toHaveLength(10)
    for (const node of nodes) {
      checkSpace(node)
      checkDisks(node)
      checkTraffic(node)
      checkErrors(node.transactionErrorsCurrent)
    }
  })

  test('every node serves the offline space of the whole system', async () => {
    const emulator = await startEmulator({ scenario: 'disk-failures', nodes: 3 })
    const nodes = [...(await nodesOf(emulator)), ...(await nodesOf(emulator, '', 1))]
    const lost = nodes.map((node) => {
      const good = Number(node.numGoodDisks)
      return (current(node, 'diskSpaceTotal') / good) * (Number(node.numDisks) - good)
    })
    const total = lost.reduce((sum, bytes) => sum + bytes, 0)
    expect(total).toBeGreaterThan(0)
    for (const node of nodes) expect(current(node, 'diskSpaceOfflineTotal')).toBe(total)
    emulator.setScenario('healthy')
    for (const node of await nodesOf(emulator)) expect(current(node, 'diskSpaceOfflineTotal')).toBe(0)
  })

  test('a node that is not accessible has no traffic, and its space is offline', async () => {
    const emulator = await startEmulator({ scenario: 'node-down' })
    const [down, ...others] = await nodesOf(emulator, 'dataType=current')
    expect(down.healthStatus).toBe('NotAccessible')
    const trafficMembers = Object.keys(down).filter((name) =>
      /^(node|transactionRead|transactionWrite|disk(Read|Write))/.test(name),
    )
    expect(trafficMembers).toHaveLength(29)
    for (const name of trafficMembers) expect(current(down, name.replace('Current', ''))).toBe(0)
    expect(down.transactionErrorsCurrent.types).toEqual([])
    expect(current(others[0], 'diskSpaceOfflineTotal')).toBe(current(down, 'diskSpaceTotal'))
    expect(others.map((node) => node.healthStatus)).toEqual(['Good', 'Good', 'Good', 'Good'])
    expect(current(others[0], 'transactionReadTransactionsPerSec')).toBeGreaterThan(0)
  })
})

describe('history is consistent', () => {
  test.each([
    ['documented', 'the value of that time', 1],
    ['classic', 'with the reserve', 0],
  ] as const)('profile %s: free space in the history is %s', async (profile, _, reserved) => {
    const now = NOW_SECONDS - (NOW_SECONDS % 3_600)
    const emulator = await startEmulator({ profile, clock: () => now * 1000 })
    const [node] = await nodesOf(emulator, 'category=capacity')
    const [total, allocated, free, L1, L2] = ['Total', 'Allocated', 'Free', 'FreeL1', 'FreeL2'].map((part) =>
      seriesIn(node, `diskSpace${part}`),
    )
    expect(total?.length).toBe(121)
    for (const [index, { value }] of (total ?? []).entries()) {
      expect(at(allocated, index) + at(free, index)).toBe(value - (reserved * value) / 10)
      expect(at(L1, index) + at(L2, index)).toBe(at(free, index))
    }
    const reserve = (1 - reserved) * current(node, 'diskSpaceReserved')
    expect(at(free, 120)).toBe(current(node, 'diskSpaceFree') + reserve)
    const latest = ['FreeL1', 'FreeL2'].map((level) => {
      const snapshot = node[`diskSpace${level}Current`] ?? node[`diskSpaceFreeCurrent${level.slice(-2)}`]
      return valueIn(snapshot)
    })
    expect([at(L1, 120) === latest[0], at(L2, 120) === latest[1]]).toEqual(Array(2).fill(reserved === 1))
  })

  test('error totals and counts by type cover the range', async () => {
    const emulator = await startEmulator()
    const [node] = await nodesOf(emulator, 'category=traffic')
    checkErrors(node.transactionErrors)
    const [totals] = node.transactionErrors.errorSuccessTotals
    const transactions = [...seriesIn(node, 'transactionReadTransactionsPerSec')].map(({ value }, index) => {
      return 3600 * (value + (seriesIn(node, 'transactionWriteTransactionsPerSec')[index]?.value ?? 0))
    })
    const all = transactions.reduce((sum, count) => sum + count, 0)
    expect(Number(totals.successTotal) + Number(totals.errorTotal)).toBeCloseTo(all, -3)
  })

  const RATES = [
    'nodeCpuUtilization',
    'nodeNicBandwidth',
    'nodeNicReceivedUtilization',
    'transactionReadBandwidth',
    'transactionWriteTransactionsPerSec',
    'diskReadBandwidthTotal',
    'diskWriteBandwidthGeo',
  ]

  test.each(['healthy', 'error-burst', 'node-down'] as const)(
    'scenario %s: a day is the same at every interval',
    async (scenario) => {
      const days = [300, 900, 3_600, 100, 450].map(async (interval) => {
        const emulator = await startEmulator({ scenario })
        const [node] = (await nodesOf(emulator, `${DAY}&interval=${interval}`)).slice(1)
        const sum = (name: string, weightOf: (index: number) => number = () => 1) =>
          seriesIn(node, name).reduce((total, { value }, index) => total + value * weightOf(index), 0) *
          interval
        const reads = seriesIn(node, 'transactionReadTransactionsPerSec')
        const readMs = sum('transactionReadLatency', (index) => at(reads, index))
        const types = node.transactionErrors.types.map((type: Json) => [
          type.errorType,
          Number(type.errorCount),
        ])
        const [totals] = node.transactionErrors.errorSuccessTotals
        const transactions =
          sum('transactionReadTransactionsPerSec') + sum('transactionWriteTransactionsPerSec')
        expect(Number(totals.successTotal) + Number(totals.errorTotal)).toBe(Math.round(transactions))
        // The amounts are whole: thousandths of MB/s or percent, times seconds.
        return [...RATES.map((name) => Math.round(sum(name) * 100)), Math.round(readMs), totals, types]
      })
      const [first, ...others] = await Promise.all(days)
      for (const other of others) expect(other).toEqual(first)
    },
  )

  test('a type of error is in each interval in which it occurred', async () => {
    const emulator = await startEmulator()
    const typesAt = async (interval: number) => {
      const [node] = await nodesOf(emulator, `${DAY}&interval=${interval}`)
      return new Map<string, Set<number>>(
        node.transactionErrors.types.map((type: Json) => [
          type.errorType,
          new Set(type.errorRate.map(({ t }: Json) => Math.ceil(Number(t) / 3_600))),
        ]),
      )
    }
    const hours = await typesAt(3_600)
    expect(hours.size).toBe(5)
    expect(hours).toEqual(await typesAt(300))
  })

  test('in each interval the rates of the types add up to the total rate', async () => {
    const [node] = await nodesOf(await startEmulator({ scenario: 'error-burst' }), 'category=traffic')
    const sums = new Map<number, number>()
    for (const type of node.transactionErrors.types) {
      for (const { t, Rate } of type.errorRate) sums.set(Number(t), (sums.get(Number(t)) ?? 0) + Number(Rate))
    }
    for (const { t, Rate } of node.transactionErrors.all)
      expect(sums.get(Number(t))).toBeCloseTo(Number(Rate), 8)
  })
})

test('summaries match their series for every attribute', async () => {
  const nodes = await nodesOf(await startEmulator(), 'dataType=historical')
  const names = Object.keys(nodes[0]).filter(
    (name) => name.endsWith('Summary') && name !== 'transactionErrorsSummary',
  )
  expect(names).toHaveLength(ATTRIBUTES.filter(({ currentOnly }) => currentOnly !== true).length)
  for (const node of nodes) {
    for (const name of names) checkSummary(seriesIn(node, name.replace('Summary', '')), node[name])
  }
})

function at(series: { value: number }[] | undefined, index: number): number {
  return series?.[index]?.value ?? Number.NaN
}

function checkSpace(node: Json): void {
  const [total, allocated, free, reserved] = ['Total', 'Allocated', 'Free', 'Reserved'].map((part) =>
    current(node, `diskSpace${part}`),
  ) as [number, number, number, number]
  expect(allocated + free + reserved).toBe(total)
  expect(current(node, 'diskSpaceAllocatedL1') + current(node, 'diskSpaceAllocatedL2')).toBe(allocated)
  expect(current(node, 'diskSpaceFreeL1') + current(node, 'diskSpaceFreeL2')).toBe(free)
  expect(current(node, 'diskSpaceAllocatedPercentage')).toBeCloseTo((100 * allocated) / (total || 1), 3)
  expect(Math.min(total, allocated, free, reserved)).toBeGreaterThanOrEqual(0)
}

function checkDisks(node: Json): void {
  const parts = [node.numGoodDisks, node.numBadDisks, node.numMaintenanceDisks, node.numReadyToReplaceDisks]
  expect(parts.every((part) => typeof part === 'string')).toBe(true)
  expect(parts.reduce((sum, part) => sum + Number(part), 0)).toBe(Number(node.numDisks))
}

function checkTraffic(node: Json): void {
  for (const direction of ['Read', 'Write']) {
    const parts = PURPOSES.map((purpose) => current(node, `disk${direction}Bandwidth${purpose}`))
    expect(current(node, `disk${direction}BandwidthTotal`)).toBeCloseTo(
      parts.reduce((sum, part) => sum + part, 0),
      6,
    )
  }
  const [received, transmitted] = ['Received', 'Transmitted'].map((part) =>
    current(node, `nodeNic${part}Bandwidth`),
  )
  expect(current(node, 'nodeNicBandwidth')).toBeCloseTo((received ?? 0) + (transmitted ?? 0), 6)
  const capacity = 100 * (current(node, 'nodeNicBandwidth') / current(node, 'nodeNicUtilization'))
  if (received !== 0) {
    expect([2_500, 6_250]).toContain(Math.round(capacity / 50) * 50)
    expect(current(node, 'nodeNicReceivedUtilization')).toBeCloseTo(
      (100 * (received ?? 0)) / Math.round(capacity / 50) / 50,
      3,
    )
  }
  const memory = current(node, 'nodeMemoryUtilizationBytes') / (current(node, 'nodeMemoryUtilization') / 100)
  if (received !== 0) expect([64, 128, 192]).toContain(Math.round(memory / 2 ** 30))
}

/** Takes the current or the historical form. */
function checkErrors({ all, errorSuccessTotals, types }: Json): void {
  const failed = Number(errorSuccessTotals[0].errorTotal)
  const succeeded = Number(errorSuccessTotals[0].successTotal)
  expect(types.reduce((sum: number, type: Json) => sum + Number(type.errorCount), 0)).toBe(failed)
  for (const type of types) expect(['User', 'System']).toContain(type.category)
  if (!Array.isArray(all) && succeeded + failed > 0) {
    expect(Number(all.Rate)).toBeCloseTo((100 * failed) / (succeeded + failed), 8)
  }
}

function checkSummary(series: { t: number; value: number }[], summary: Json): void {
  if (summary === undefined) expect(series).toEqual([])
  if (series.length === 0) return
  const values = series.map(({ value }) => value)
  for (const [extreme, value] of [
    [summary.Min, Math.min(...values)],
    [summary.Max, Math.max(...values)],
  ]) {
    const [name = ''] = Object.keys(extreme).filter((key) => key !== 't')
    expect(Number(extreme[name])).toBe(value)
    expect(series).toContainEqual({ t: Number(extreme.t), value })
  }
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  expect(Number(summary.Avg) / (mean || 1)).toBeCloseTo(mean === 0 ? 0 : 1, 10)
}
