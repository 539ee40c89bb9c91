import { describe, expect, test } from 'vitest'
import { LIMITS, THRESHOLDS } from '../../mixin/settings.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'
import { SCENARIO_NAMES, type Scenario } from '../../src/emulator/world/scenarios.ts'
import { current, type Json, nodesOf } from './client.ts'

const HOUR_MS = 3_600_000
const HOURS_OF_A_WEEK = 168
/** A Sunday, 00:30 UTC. */
const WEEK_BEGINS = Date.parse('2026-11-22T00:30:00Z')
const ODD_DATES = ['2028-02-29T03:00:00Z', '2026-12-31T23:59:30Z', '2027-01-01T00:00:00Z']
const MOMENTS = [
  ...Array.from({ length: HOURS_OF_A_WEEK }, (_, hour) => WEEK_BEGINS + hour * HOUR_MS),
  ...ODD_DATES.map((date) => Date.parse(date)),
]

/** All nodes of a system that plays the scenario at a moment, by pool. */
async function poolsAt(scenario: Scenario, moment: number): Promise<Json[][]> {
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', clock: () => moment, scenario })
  await emulator.start()
  try {
    const query = 'dataType=current'
    return await Promise.all(emulator.pools.map((_, index) => nodesOf(emulator, query, index)))
  } finally {
    await emulator.stop()
  }
}

const mean = (nodes: Json[], attribute: string) =>
  nodes.reduce((sum, node) => sum + current(node, attribute), 0) / nodes.length

const sum = (nodes: Json[], of: (node: Json) => number) => nodes.reduce((total, node) => total + of(node), 0)

/** Failed relative to all transactions, and by the fault of the system, as the alerts compute them. */
function errorRatios(nodes: Json[]): { all: number; system: number } {
  const totals = nodes.map((node) => node.transactionErrorsCurrent.errorSuccessTotals.at(-1))
  const failed = sum(totals, ({ errorTotal }) => Number(errorTotal))
  const all = failed + sum(totals, ({ successTotal }) => Number(successTotal))
  const bySystem = sum(nodes, (node) =>
    sum(
      node.transactionErrorsCurrent.types.filter(({ category }: Json) => category === 'System'),
      ({ errorCount }) => Number(errorCount),
    ),
  )
  return { all: failed / all, system: bySystem / all }
}

const badNodes = (nodes: Json[]) => nodes.filter(({ healthStatus }) => healthStatus !== 'Good').length

/** What an alert needs to fire, in the pools of one moment. */
const SHOWS_TROUBLE: Readonly<Record<Scenario, (pools: Json[][]) => boolean>> = {
  healthy: (pools) => pools.flat().every(({ healthStatus }) => healthStatus === 'Good'),
  'node-down': ([first = []]) => badNodes(first) === 1,
  'disk-failures': (pools) =>
    pools.every((nodes) => badNodes(nodes) === 1 && sum(nodes, ({ numBadDisks }) => Number(numBadDisks)) > 0),
  'filling-up': ([first = []]) =>
    mean(first, 'diskSpaceAllocated') / mean(first, 'diskSpaceTotal') > THRESHOLDS.usedRatio.critical,
  'error-burst': (pools) =>
    pools.map(errorRatios).every(({ all, system }) => {
      const { errorRatio, systemErrorRatio } = THRESHOLDS
      return all > errorRatio.critical && system > systemErrorRatio.critical
    }),
  slow: (pools) =>
    pools.every(
      (nodes) =>
        mean(nodes, 'transactionReadLatency') / 1000 > LIMITS.alertReadLatencySeconds &&
        mean(nodes, 'transactionWriteLatency') / 1000 > LIMITS.alertWriteLatencySeconds,
    ),
}

describe('at every hour of a week and on odd dates', () => {
  test.each(SCENARIO_NAMES)('%s shows what it is about', async (scenario) => {
    const shown = await Promise.all(
      MOMENTS.map(async (moment) => {
        const pools = await poolsAt(scenario, moment)
        return { at: new Date(moment).toISOString(), shows: SHOWS_TROUBLE[scenario](pools) }
      }),
    )
    expect(shown.filter(({ shows }) => !shows)).toEqual([])
  })
})
