import { describe, expect, test, vi } from 'vitest'
import { createBoard } from '../../src/poller/board.ts'
import type { SystemState } from '../../src/poller/state.ts'
import { parseExposition } from '../metrics/exposition_text.ts'
import { withPoll, withPools } from './changes.ts'
import { boardOfA, readingOf, shown } from './setup.ts'

const attempt = { at: 1, seconds: 1, failure: undefined }
const listed = (system: SystemState) => withPools(system, [{ id: 'p', name: undefined }])
const polled = (nodes: Record<string, number>) => (system: SystemState) =>
  withPoll(system, 'p', attempt, readingOf(nodes))

describe('a board', () => {
  test('has an empty page at first', () => {
    const board = createBoard(() => undefined)
    expect([board.page().series, board.page().text('text'), board.systems()]).toEqual([0, '', []])
  })

  test('has the labels of each system, also after they changed', async () => {
    const board = createBoard(() => undefined)
    await board.show([{ name: 'a', labels: { site: 'fra' } }])
    expect(shown(board, 'sds_system_info', 'site')).toEqual({ fra: 1 })
    await board.show([{ name: 'a', labels: { site: 'par' } }])
    expect(shown(board, 'sds_system_info', 'site')).toEqual({ par: 1 })
  })

  test('that shows no values has a page with counters only, and keeps the state', async () => {
    const board = createBoard(() => undefined)
    await board.show([{ name: 'a' }], { hasValues: false })
    await board.update('a', listed)
    await board.update('a', polled({ n1: 5 }))
    const names = new Set(parseExposition(board.page().text('text')).map(({ name }) => name))
    expect(names).toEqual(new Set(['sds_pool_polls_total', 'sds_api_rejected_values_total']))
    expect(board.system('a')?.pools.get('p')?.reading?.nodes).toHaveLength(1)
    await board.show([{ name: 'a' }])
    expect(shown(board, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n1: 5 })
  })

  test('shows an update when its promise resolves', async () => {
    const board = await boardOfA()
    await board.update('a', listed)
    await board.update('a', polled({ n1: 5 }))
    expect(shown(board, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n1: 5 })
    expect(shown(board, 'sds_pool_up', 'pool_id')).toEqual({ p: 1 })
  })

  test('never shows parts of a poll: every page has the values of one reading', async () => {
    const board = await boardOfA()
    await board.update('a', listed)
    await board.update('a', polled({ n0: 0, n1: 0, n2: 0 }))
    const updates: Promise<void>[] = []
    const seen = new Set<number>()
    let poll = 0
    // How many polls a page stands for depends on how soon the pages before it are compressed.
    while (poll < 200 || seen.size <= 20) {
      poll += 1
      updates.push(board.update('a', polled({ n0: poll, n1: poll, n2: poll })))
      await (poll % 3 === 0 ? board.page().body('gzip text') : new Promise(setImmediate))
      const values = Object.values(shown(board, 'sds_node_disk_space_free_bytes', 'node'))
      expect(values).toHaveLength(3)
      expect(new Set(values).size).toBe(1)
      seen.add(values[0] ?? -1)
    }
    await Promise.all(updates)
    expect(Object.values(shown(board, 'sds_node_disk_space_free_bytes', 'node'))).toEqual([poll, poll, poll])
  })

  test('pages never show an older state, with many updates at once', async () => {
    const board = await boardOfA()
    await board.update('a', listed)
    let last = 0
    await Promise.all(
      Array.from({ length: 100 }, async (_, poll) => {
        await board.update('a', polled({ n1: poll }))
        const { n1 = -1 } = shown(board, 'sds_node_disk_space_free_bytes', 'node')
        expect(n1).toBeGreaterThanOrEqual(last)
        last = n1
      }),
    )
    expect(last).toBe(99)
  })

  test('passes each new state to its observer, and what is still known after a reload', async () => {
    const observer = { changed: vi.fn(), kept: vi.fn() }
    const board = createBoard(() => undefined, observer)
    await board.show([{ name: 'a' }, { name: 'b' }])
    await board.update('a', listed)
    await board.update('unknown', listed)
    expect(observer.changed.mock.calls).toEqual([[board.system('a')]])
    await board.show([{ name: 'a' }, { name: 'c' }, { name: 'd' }], { fresh: new Set(['d']) })
    expect(observer.kept.mock.calls).toEqual([[['a', 'b']], [['a', 'c']]])
  })

  test('keeps its page when the same systems are shown again', async () => {
    const board = await boardOfA()
    await board.update('a', listed)
    const page = board.page()
    await board.show([{ name: 'a' }])
    expect(board.page()).toBe(page)
    await board.show([{ name: 'a' }], { fresh: new Set(['a']) })
    expect(board.page()).not.toBe(page)
  })

  test('a change that throws has no effect, and later changes are shown', async () => {
    const board = await boardOfA()
    await board.update('a', listed)
    const before = board.system('a')
    const broken = board.update('a', () => {
      throw new Error('a bug')
    })
    await expect(broken).rejects.toThrow('a bug')
    expect(board.system('a')).toBe(before)
    await board.update('a', polled({ n1: 1 }))
    expect(shown(board, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n1: 1 })
  })

  test('an error of a page rejects the updates in it, and the next page is rendered', async () => {
    const onPage = vi.fn()
    const board = createBoard(onPage)
    await board.show([{ name: 'a' }])
    onPage.mockImplementationOnce(() => {
      throw new Error('no page')
    })
    await expect(board.update('a', listed)).rejects.toThrow('no page')
    await board.update('a', polled({ n1: 1 }))
    expect(shown(board, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n1: 1 })
  })

  test('an error of a page does not reject the updates of the next page', async () => {
    let failures = 0
    const board = createBoard(() => {
      if (failures-- > 0) throw new Error('no page')
    })
    await board.show([{ name: 'a' }])
    await board.update('a', listed)
    // Compression takes long enough for a second update to wait.
    await board.page().body('gzip text')
    failures = 1
    const first = expect(board.update('a', polled({ n1: 1 }))).rejects.toThrow('no page')
    await new Promise(setImmediate)
    const second = board.update('a', polled({ n1: 2 }))
    await Promise.all([first, second])
    await board.update('a', polled({ n2: 3 }))
    expect(shown(board, 'sds_node_disk_space_free_bytes', 'node')).toEqual({ n2: 3 })
  })

  test('shows exactly the systems of `show`, and drops the state of replaced systems', async () => {
    const board = createBoard(() => undefined)
    await board.show([{ name: 'a' }, { name: 'b' }])
    for (const name of ['a', 'b']) {
      await board.update(name, listed)
      await board.update(name, polled({ n1: 1 }))
    }
    await board.show([{ name: 'b' }, { name: 'a' }, { name: 'c' }], { fresh: new Set(['a']) })
    expect(board.systems().map(({ name, pools }) => [name, pools.size])).toEqual([
      ['b', 1],
      ['a', 0],
      ['c', 0],
    ])
    await board.show([{ name: 'c' }])
    const series = parseExposition(board.page().text('text'))
    expect(new Set(series.map(({ labels }) => labels['system']))).toEqual(new Set(['c']))
    expect(series.filter(({ value }) => value !== 0).map(({ name }) => name)).toEqual(['sds_system_info'])
    await board.update('b', listed)
    expect(board.system('b')).toBeUndefined()
  })
})
