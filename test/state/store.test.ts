import { describe, expect, test, vi } from 'vitest'
import { withPoll, withPools } from '../../src/state/changes.ts'
import type { SystemState } from '../../src/state/state.ts'
import { createStateStore } from '../../src/state/store.ts'
import { parseExposition } from '../metrics/exposition_text.ts'
import { readingOf, shown, storeOfA } from '../readings/setup.ts'

const attempt = { at: 1, seconds: 1, failure: undefined }
const listed = (system: SystemState) => withPools(system, [{ id: 'p', name: undefined }])
const polled = (nodes: Record<string, number>) => (system: SystemState) =>
  withPoll(system, 'p', attempt, readingOf(nodes))

describe('a store', () => {
  test('has an empty exposition at first', () => {
    const store = createStateStore()
    expect([store.exposition().series, store.exposition().text('text'), store.systems()]).toEqual([0, '', []])
  })

  test('has the labels of each system, also after they changed', async () => {
    const store = createStateStore()
    await store.show([{ name: 'a', labels: { site: 'fra' } }])
    expect(shown(store, 'sds_system_info', 'site')).toEqual({ fra: 1 })
    await store.show([{ name: 'a', labels: { site: 'par' } }])
    expect(shown(store, 'sds_system_info', 'site')).toEqual({ par: 1 })
  })

  test('that shows no values has an exposition with counters only, and keeps the state', async () => {
    const store = createStateStore()
    await store.show([{ name: 'a', isOnlyProbed: true }])
    await store.update('a', listed)
    await store.update('a', polled({ n1: 5 }))
    const names = new Set(parseExposition(store.exposition().text('text')).map(({ name }) => name))
    expect(names).toEqual(new Set(['sds_pool_polls_total', 'sds_api_rejected_values_by_reason_total']))
    expect(store.system('a')?.pools.get('p')?.reading?.nodes).toHaveLength(1)
    await store.show([{ name: 'a' }])
    expect(shown(store, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n1: 5 })
  })

  test('shows an update when its promise resolves', async () => {
    const store = await storeOfA()
    await store.update('a', listed)
    await store.update('a', polled({ n1: 5 }))
    expect(shown(store, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n1: 5 })
    expect(shown(store, 'sds_pool_up', 'pool_id')).toEqual({ p: 1 })
  })

  test('gives each change the state of the one before it, however long the exposition of a large one takes', async () => {
    const store = await storeOfA()
    await store.update('a', listed)
    const nodes = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`n${index}`, 1]))
    void store.update('a', polled(nodes))
    for (const up of [true, false, true]) {
      void store.update('a', (system) => (system.up === up ? system : { ...system, up }))
      expect(store.system('a')?.up).toBe(up)
    }
    await store.update('a', polled(nodes))
    expect(shown(store, 'sds_system_up', 'system')).toEqual({ a: 1 })
  })

  test('tells the newest state from the one that its exposition shows', async () => {
    const store = await storeOfA()
    const tried = () => [store.system('a')?.tried, store.shownSystem('a')?.tried]
    const update = store.update('a', (system) => ({ ...system, tried: true }))
    expect(tried()).toEqual([true, false])
    await update
    expect(tried()).toEqual([true, true])
  })

  test('never shows parts of a poll: every exposition has the values of one reading', async () => {
    const store = await storeOfA()
    await store.update('a', listed)
    await store.update('a', polled({ n0: 0, n1: 0, n2: 0 }))
    const polls = 200
    const seen = new Set<number>()
    for (let poll = 1; poll <= polls; poll += 1) {
      const update = store.update('a', polled({ n0: poll, n1: poll, n2: poll }))
      // An exposition begins when no change comes for a while.
      if (poll % 10 === 0) await update
      else await (poll % 3 === 0 ? store.exposition().body('gzip text') : new Promise(setImmediate))
      const values = Object.values(shown(store, 'sds_node_disk_space_free_bytes', 'node'))
      expect(values).toHaveLength(3)
      expect(new Set(values).size).toBe(1)
      seen.add(values[0] ?? -1)
    }
    expect(seen.size).toBeGreaterThanOrEqual(polls / 10)
    expect(seen).toContain(polls)
  })

  test('passes each new state to its observer, and what is still known after a reload', async () => {
    const observer = { changed: vi.fn(), kept: vi.fn() }
    const store = createStateStore(observer)
    await store.show([{ name: 'a' }, { name: 'b' }])
    await store.update('a', listed)
    await store.update('unknown', listed)
    expect(observer.changed.mock.calls).toEqual([[store.system('a')]])
    await store.show([{ name: 'a' }, { name: 'c' }, { name: 'd' }], new Set(['d']))
    expect(observer.kept.mock.calls).toEqual([[['a', 'b']], [['a', 'c']]])
  })

  test('keeps its exposition when the same systems are shown again', async () => {
    const store = await storeOfA()
    await store.update('a', listed)
    const exposition = store.exposition()
    await store.show([{ name: 'a' }])
    expect(store.exposition()).toBe(exposition)
    await store.show([{ name: 'a' }], new Set(['a']))
    expect(store.exposition()).not.toBe(exposition)
  })

  test('a change that throws has no effect, and later changes are shown', async () => {
    const store = await storeOfA()
    await store.update('a', listed)
    const before = store.system('a')
    const bug = () => {
      throw new Error('a bug')
    }
    expect(() => store.update('a', bug)).toThrow('a bug')
    expect(store.system('a')).toBe(before)
    await store.update('a', polled({ n1: 1 }))
    expect(shown(store, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n1: 1 })
  })

  test('an error of an exposition rejects the updates in it, and the next exposition is rendered', async () => {
    const onExposition = vi.fn()
    const store = createStateStore({ published: onExposition })
    await store.show([{ name: 'a' }])
    onExposition.mockImplementationOnce(() => {
      throw new Error('no exposition')
    })
    await expect(store.update('a', listed)).rejects.toThrow('no exposition')
    await store.update('a', polled({ n1: 1 }))
    expect(shown(store, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n1: 1 })
  })

  test('shows exactly the systems of `show`, and drops the state of replaced systems', async () => {
    const store = createStateStore()
    await store.show([{ name: 'a' }, { name: 'b' }])
    for (const name of ['a', 'b']) {
      await store.update(name, listed)
      await store.update(name, polled({ n1: 1 }))
    }
    await store.show([{ name: 'b' }, { name: 'a' }, { name: 'c' }], new Set(['a']))
    expect(store.systems().map(({ name, pools }) => [name, pools.size])).toEqual([
      ['b', 1],
      ['a', 0],
      ['c', 0],
    ])
    await store.show([{ name: 'c' }])
    const series = parseExposition(store.exposition().text('text'))
    expect(new Set(series.map(({ labels }) => labels['system']))).toEqual(new Set(['c']))
    expect(series.filter(({ value }) => value !== 0).map(({ name }) => name)).toEqual(['sds_system_info'])
    await store.update('b', listed)
    expect(store.system('b')).toBeUndefined()
  })
})
