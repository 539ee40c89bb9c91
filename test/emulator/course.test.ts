import { expect, test } from 'vitest'
import { GAUGES } from '../../src/emulator/model/attribute_values.ts'
import { createModel } from '../../src/emulator/model/model.ts'
import { trafficOf } from '../../src/emulator/model/traffic.ts'
import { resolveOptions } from '../../src/emulator/options.ts'
import { NOW_SECONDS } from './client.ts'

const STEP = 300
const DAY = 86_400
const FIRST = NOW_SECONDS - 40 * DAY

const model = createModel(resolveOptions({ pools: 1, nodes: 60 }), NOW_SECONDS)
const nodes = model.pools[0]?.nodes ?? []
const newNode = nodes.at(-1)

function requestsPerSecond(t: number): number {
  const values = nodes.map((node) => trafficOf(model.stateOf(node, t)).read.perSecond)
  return values.reduce((sum, value) => sum + value, 0)
}

test('over 40 days, weekends included, the load of a pool changes by less than 6 % in five minutes', () => {
  let before = requestsPerSecond(FIRST)
  let largest = 0
  let lowest = before
  let highest = before
  for (let t = FIRST + STEP; t <= NOW_SECONDS; t += STEP) {
    const now = requestsPerSecond(t)
    largest = Math.max(largest, Math.abs(now / before - 1))
    lowest = Math.min(lowest, now)
    highest = Math.max(highest, now)
    before = now
  }
  expect(largest).toBeLessThan(0.06)
  expect(highest / lowest).toBeGreaterThan(5)
})

test('the last node joined 20 days ago, and fills from empty to about as full as the others', () => {
  if (newNode === undefined) throw new Error('there is no node')
  const joinedAt = NOW_SECONDS - (NOW_SECONDS % 3_600) - 20 * DAY
  expect(newNode.joinedAt).toBe(joinedAt)
  const usedAt = (t: number) => GAUGES.diskSpaceAllocatedPercentage(model.stateOf(newNode, t))
  expect([usedAt(joinedAt - 1), usedAt(joinedAt)]).toEqual([0, 0])
  let before = 0
  for (let t = joinedAt + DAY; t <= NOW_SECONDS; t += DAY) {
    expect(usedAt(t)).toBeGreaterThan(before)
    before = usedAt(t)
  }
  expect(before).toBeGreaterThan(25)
})
