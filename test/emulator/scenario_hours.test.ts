import { describe, expect, test } from 'vitest'
import { DEFAULT_THRESHOLDS } from '../../grafana/mixin/thresholds.ts'
import type { Scenario } from '../../src/emulator/model/scenarios.ts'
import { createEmulator } from '../support/programs/emulator.ts'
import { current, type Json, nodesOf } from './client.ts'

const HOUR_MS = 3_600_000
const HOURS_PER_WEEK = 168
/** A Sunday, 00:30 UTC. */
const WEEK_START = Date.parse('2026-11-22T00:30:00Z')
const SPECIAL_DATES = ['2028-02-29T03:00:00Z', '2026-12-31T23:59:30Z', '2027-01-01T00:00:00Z']
const TIMES = [
  ...Array.from({ length: HOURS_PER_WEEK }, (_, hour) => WEEK_START + hour * HOUR_MS),
  ...SPECIAL_DATES.map((date) => Date.parse(date)),
]

/** All nodes of a system in a scenario, by pool. `time` in milliseconds since the epoch. */
async function poolsAt(scenario: Scenario, time: number): Promise<Json[][]> {
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', clock: () => time, scenario })
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

/** Ratio of failed transactions and of system errors, as the alerts compute them. */
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

/** Whether the pools have values for which the alerts of the scenario fire. */
const SHOWS_SCENARIO: Readonly<Partial<Record<Scenario, (pools: Json[][]) => boolean>>> = {
  healthy: (pools) => pools.flat().every(({ healthStatus }) => healthStatus === 'Good'),
  'node-down': ([first = []]) => badNodes(first) === 1,
  maintenance: ([first = []]) =>
    first.filter(({ healthStatus }) => healthStatus === 'Maintenance').length === 1,
  'disk-failures': (pools) =>
    pools.every((nodes) => badNodes(nodes) === 1 && sum(nodes, ({ numBadDisks }) => Number(numBadDisks)) > 0),
  'filling-up': ([first = []]) =>
    mean(first, 'diskSpaceAllocated') / mean(first, 'diskSpaceTotal') > DEFAULT_THRESHOLDS.usedRatio.critical,
  'error-burst': (pools) =>
    pools.map(errorRatios).every(({ all, system }) => {
      const { errorRatio, systemErrorRatio } = DEFAULT_THRESHOLDS
      return all > errorRatio.critical && system > systemErrorRatio.critical
    }),
  slow: (pools) =>
    pools.every(
      (nodes) =>
        mean(nodes, 'transactionReadLatency') / 1000 > DEFAULT_THRESHOLDS.readLatencySeconds.warning &&
        mean(nodes, 'transactionWriteLatency') / 1000 > DEFAULT_THRESHOLDS.writeLatencySeconds.warning,
    ),
}

describe('at every hour of a week and on special dates', () => {
  test.each(Object.entries(SHOWS_SCENARIO))('the values show scenario %s', async (scenario, shows) => {
    const shown = await Promise.all(
      TIMES.map(async (time) => {
        const pools = await poolsAt(scenario as Scenario, time)
        return { at: new Date(time).toISOString(), shows: shows(pools) }
      }),
    )
    expect(shown.filter(({ shows }) => !shows)).toEqual([])
  })
})
