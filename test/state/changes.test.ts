import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { RESULTS } from '../../src/api/errors/reasons.ts'
import { REJECTIONS } from '../../src/api/parse/json.ts'
import { createExposition } from '../../src/metrics/exposition.ts'
import {
  bytesOf,
  dropNodes,
  withForecasts,
  withPerformancePoll,
  withPoll,
  withPools,
} from '../../src/state/changes.ts'
import { failureOf, NOTHING, newSystem, type SystemState } from '../../src/state/state.ts'
import { systemParts } from '../../src/state/store.ts'
import { parseExposition } from '../metrics/exposition_text.ts'
import { readingOf } from '../readings/setup.ts'

const at = (seconds: number) => ({ at: seconds, seconds: 0.5, failure: undefined })
const failure = { reason: 'timeout', message: 'too late', remedy: 'wait', at: 9 } as const
const failed = { at: 9, seconds: 3, failure }
const refs = (...ids: string[]) => ids.map((id) => ({ id, name: undefined }))
const seriesOf = (system: SystemState) => parseExposition(createExposition(systemParts(system)).text('text'))
const of = (system: SystemState, family: string, label: string) =>
  Object.fromEntries(
    seriesOf(system)
      .filter(({ name }) => name === family)
      .map(({ labels, value }) => [labels[label], value]),
  )
const free = (system: SystemState, label = 'node') => of(system, 'sds_node_disk_space_free_bytes', label)
const systemA = withPools(newSystem('a'), refs('p', 'q'))

describe('a poll', () => {
  test('that succeeds replaces all nodes: removed ones are gone, renamed ones have only the new name', () => {
    const first = withPoll(systemA, 'p', at(1), readingOf({ n1: 1, n2: 2, n3: 3 }))
    const second = withPoll(first, 'p', at(2), readingOf({ n1: 4, renamed: 5 }))
    expect(free(second)).toEqual({ n1: 4, renamed: 5 })
    expect(of(second, 'sds_pool_nodes', 'pool_id')).toEqual({ p: 2 })
    expect(of(second, 'sds_pool_last_success_timestamp_seconds', 'pool_id')).toEqual({ p: 2 })
    expect(free(first)).toEqual({ n1: 1, n2: 2, n3: 3 })
  })

  test('takes as much of the limit as its lines, and an estimate for each forecast', () => {
    const lengthOf = (system: SystemState) => {
      const { feedPart = NOTHING, forecastPart = NOTHING } = system.pools.get('p') ?? {}
      return feedPart.bytes + forecastPart.bytes
    }
    const polled = withPoll(systemA, 'p', at(1), readingOf({ n1: 1, n2: 2 }))
    expect(bytesOf(polled)).toBe(lengthOf(polled))
    const forecast = withForecasts(polled, 'p', '7d', readingOf({ n1: 1, n2: 2 }, 'sp1', '3'))
    expect(bytesOf(forecast)).toBeGreaterThan(lengthOf(forecast))
  })

  test('of a removed pool has no effect', () => {
    expect(withPoll(systemA, 'gone', at(1), readingOf({ n1: 1 }))).toEqual(systemA)
  })

  test('is a failure when the forecasts of the system exceed the limit, whether they are shown or not', () => {
    const names = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`n${index}`, 1]))
    const forecasts = readingOf(names, 'sp1', '3')
    const within = (maxBytes: number) => withForecasts({ ...systemA, maxBytes }, 'p', '7d', forecasts)
    expect(() => within(10_000)).toThrowError(expect.objectContaining({ reason: 'too_large' }))
    expect(within(100_000).pools.get('p')?.forecasts.get('7d')?.nodes.size).toBe(100)
  })

  test('is a failure of the list of pools when longer names make the series of all of them exceed the limit', () => {
    const unnamed = readingOf({ n1: 1 }, '')
    const system = withPoll(withPoll(systemA, 'p', at(1), unnamed), 'q', at(1), unnamed)
    const list = refs('p', 'q').map(({ id }) => ({ id, name: `${id}${'x'.repeat(100)}` }))
    const bytes = bytesOf(withPools(system, list))
    expect(bytes).toBeGreaterThan(bytesOf(system))
    expect(() => withPools({ ...system, maxBytes: bytes }, list)).not.toThrow()
    const refused = expect.objectContaining({ reason: 'too_large' })
    expect(() => withPools({ ...system, maxBytes: bytes - 1 }, list)).toThrowError(refused)
  })

  test('is no failure of the same list of pools under a lower limit, after a reload', () => {
    const polled = withPoll(systemA, 'p', at(1), readingOf({ n1: 1 }))
    expect(withPools({ ...polled, maxBytes: 1 }, refs('p')).pools.size).toBe(1)
  })

  test('without nodes is a success', () => {
    const system = withPoll(systemA, 'p', at(1), readingOf({}))
    expect(of(system, 'sds_pool_up', 'pool_id')).toEqual({ p: 1 })
    expect(of(system, 'sds_pool_nodes', 'pool_id')).toEqual({ p: 0 })
    expect(free(system)).toEqual({})
  })
})

describe('counters', () => {
  const polls = (system: SystemState, label = 'result') => of(system, 'sds_pool_polls_total', label)
  const zeros = Object.fromEntries(RESULTS.map((result) => [result, 0]))

  test('of polls begin at 0 for every result, and follow the name of the pool', () => {
    const one = withPools(newSystem('a'), refs('p'))
    expect(polls(one)).toEqual(zeros)
    const twice = withPoll(withPoll(one, 'p', failed), 'p', failed)
    expect(polls(twice)).toEqual({ ...zeros, timeout: 2 })
    expect(Object.keys(polls(twice, 'pool'))).toEqual(['p'])
    const named = withPoll(twice, 'p', at(10), readingOf({ n1: 1 }))
    expect(polls(named)).toEqual({ ...zeros, ok: 1, timeout: 2 })
    expect(Object.keys(polls(named, 'pool'))).toEqual(['sp1'])
  })

  const rejected = { attribute: 'numDisks', reason: 'negative', node: 'n1', text: '-1', times: 3 } as const
  const rejections = (system: SystemState) =>
    Object.fromEntries(
      seriesOf(system)
        .filter(
          ({ name, value }) =>
            name === 'sds_api_rejected_values_total' || (value > 0 && name.endsWith('by_reason_total')),
        )
        .map(({ labels, value }) => [`${labels['attribute'] ?? 'all'} ${labels['reason']}`, value]),
    )

  test('of rejected values begin at 0 by reason, and at their first value by attribute', () => {
    const reasons = seriesOf(newSystem('a')).filter(({ name }) => name.startsWith('sds_api_rejected_values'))
    const counts = reasons.map(({ labels, value }) => [labels['reason'], value])
    expect(counts).toEqual(Object.keys(REJECTIONS).map((reason) => [reason, 0]))
    const reading = { ...readingOf({ n1: 1 }), rejected: [rejected] }
    const system = withPoll(withPoll(systemA, 'p', at(1), reading), 'q', at(1), reading)
    const ofQuery = { ...rejected, attribute: 'query_cpu' }
    const answers = { nodes: [], rejected: [ofQuery], stop: 0, maxAgeOf: () => 1320 }
    const queried = withPerformancePoll(system, { reading: answers, receivedAtMs: 0, failure: undefined })
    expect(rejections(system)).toEqual({ 'all negative': 6, 'numDisks negative': 6 })
    const both = { 'numDisks negative': 6, 'query_cpu negative': 3 }
    expect(rejections(queried)).toEqual({ 'all negative': 9, ...both })
  })
})

describe('the series of a system', () => {
  const about = (changes: Partial<SystemState>) =>
    Object.fromEntries(
      seriesOf({ ...newSystem('a'), ...changes })
        .filter(({ name }) => !name.endsWith('_total'))
        .map(({ name, value }) => [name.replace('sds_system_', ''), value]),
    )

  test('are those that are known', () => {
    expect(about({})).toEqual({ info: 1 })
    expect(about({ up: true, tried: true })).toEqual({ info: 1, up: 1 })
    const known = { up: 0, clock_skew_seconds: -3, tls_not_after_timestamp_seconds: 9 }
    expect(about({ up: false, clockSkewSeconds: -3, tlsNotAfterSeconds: 9 })).toEqual({ info: 1, ...known })
  })

  test('say that it is not up when it was tried and no request could be sent', () => {
    expect(about({ tried: true })).toEqual({ info: 1, up: 0 })
  })
})

test('a failure has the node that played a part in it, and a remedy', () => {
  const late = new ApiError('timeout', 'too late')
  expect(failureOf(late, 5)).toMatchObject({ reason: 'timeout', message: 'too late', at: 5 })
  expect(failureOf(late.with({ endpoint: 'ecs2:4443' }), 5).message).toBe('ecs2:4443: too late')
  expect(failureOf(late, 5).remedy).not.toBe('')
})

describe('dropped values', () => {
  const polled = withPoll(systemA, 'p', at(1), readingOf({ n1: 1 }, 'named', '9'))
  const old = dropNodes(withForecasts(polled, 'p', '7d', readingOf({ n1: 1 }, 'named', '9')), 'p')

  test('include the forecasts, but not the status of the pool', () => {
    expect(seriesOf(old).filter(({ name }) => name.startsWith('sds_node_'))).toEqual([])
    expect(of(old, 'sds_pool_up', 'pool_id')).toEqual({ p: 1 })
    expect(of(old, 'sds_pool_last_success_timestamp_seconds', 'pool_id')).toEqual({ p: 1 })
    expect(of(old, 'sds_pool_nodes', 'pool_id')).toEqual({})
    expect(of(old, 'sds_pool_attribute_nodes', 'attribute')).toEqual({})
  })

  test('keep the name of the pool, so that labels do not change', () => {
    expect(of(old, 'sds_pool_info', 'pool')).toEqual({ named: 1, q: 1 })
  })
})

describe('labels', () => {
  test('of pools are their names; if two have the same name, the ids of both', () => {
    const one = withPoll(systemA, 'p', at(1), readingOf({ n1: 1 }, 'same'))
    expect(free(one, 'pool')).toEqual({ same: 1 })
    const two = withPoll(one, 'q', at(1), readingOf({ n1: 2 }, 'same'))
    expect(free(two, 'pool')).toEqual({ p: 1, q: 2 })
    const renamed = withPoll(two, 'q', at(2), readingOf({ n1: 3 }, 'other'))
    expect(free(renamed, 'pool')).toEqual({ same: 1, other: 3 })
  })

  test('of a listed pool are the name in the list, until its nodes have another one', () => {
    const listed = withPools(newSystem('a'), [{ id: 'p', name: 'from the list' }])
    expect(of(listed, 'sds_pool_info', 'pool')).toEqual({ 'from the list': 1 })
    const polled = withPoll(listed, 'p', at(1), readingOf({ n1: 1 }, 'from the nodes'))
    expect(of(polled, 'sds_pool_info', 'pool')).toEqual({ 'from the nodes': 1 })
  })
})

describe('forecasts', () => {
  const polled = withPoll(systemA, 'p', at(1), readingOf({ n1: 1, n2: 2 }))
  const days = (system: SystemState) => of(system, 'sds_node_capacity_forecast_seconds', 'node')

  test('are shown only for the nodes of the newest reading', () => {
    const system = withForecasts(polled, 'p', '7d', readingOf({ n1: 1, n2: 2, n3: 3 }, 'sp1', '2'))
    expect(days(system)).toEqual({ n1: 172_800, n2: 172_800 })
    expect(days(withPoll(system, 'p', at(2), readingOf({ n2: 2 })))).toEqual({ n2: 172_800 })
  })

  test('count in the coverage of the pool if they are requested', () => {
    const served = (system: SystemState) =>
      seriesOf(system).find(
        ({ labels }) => labels['attribute'] === 'allocatedCapacityForecast' && labels['state'] === 'served',
      )?.value
    const system = withForecasts(polled, 'p', '7d', readingOf({ n1: 1, n2: 2 }, 'sp1', '2'))
    const failing = withForecasts(polled, 'p', '7d', undefined)
    expect([polled, system, failing].map(served)).toEqual([undefined, 2, 0])
  })

  test('have an age limit of their own: they are not shown without the nodes, and are again with them', () => {
    const system = withForecasts(polled, 'p', '7d', readingOf({ n1: 1, n2: 2 }, 'sp1', '2'))
    const without = dropNodes(system, 'p')
    const later = withPoll(without, 'p', at(2), readingOf({ n1: 1 }))
    expect([system, without, later].map(days)).toEqual([{ n1: 172_800, n2: 172_800 }, {}, { n1: 172_800 }])
  })

  test('of a system that gives all time frames for each request are shown once', () => {
    const one = withForecasts(polled, 'p', '7d', readingOf({ n1: 1, n2: 2 }, 'sp1', '2'))
    const both = withForecasts(one, 'p', '4w', readingOf({ n1: 1 }, 'sp1', '2'))
    const series = seriesOf(both).filter(({ name }) => name === 'sds_node_capacity_forecast_seconds')
    expect(series.map(({ labels }) => labels['node'])).toEqual(['n1', 'n2'])
  })
})
