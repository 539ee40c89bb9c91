import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import type { RejectedValue } from '../../src/api/feed/rejected_values.ts'
import { createJournal, type Journal } from '../../src/poller/journal.ts'
import { withPools } from './changes.ts'
import { boardOfA, ownMetrics, recordingLog } from './setup.ts'

/** The journal of system `a`, which has the pool `p` with the name `hot`. */
async function start() {
  const board = await boardOfA()
  await board.update('a', (state) => withPools(state, [{ id: 'p', name: 'hot' }]))
  const log = recordingLog('debug')
  return { log, journal: createJournal({ log, own: ownMetrics(), board, system: 'a' }) }
}

const timeout = new ApiError('timeout', 'bad')
const poll = { seconds: 1.5, nodes: 3 }
const ofPool = { system: 'a', pool: 'hot', pool_id: 'p' }

test('each poll is a debug line with its place, size and outcome', async () => {
  const { log, journal } = await start()
  journal.polled('p', { ...poll, failure: undefined })
  journal.polled('p', { seconds: 2, nodes: undefined, failure: timeout })
  journal.queried('empty', poll)
  expect(log.lines.filter(({ level }) => level === 'debug').map(({ fields }) => fields)).toEqual([
    { ...ofPool, outcome: 'ok', nodes: 3, duration_ms: 1500 },
    { ...ofPool, outcome: 'timeout', nodes: undefined, duration_ms: 2000 },
    { system: 'a', outcome: 'empty', nodes: 3, duration_ms: 1500 },
  ])
})

const subjects: Record<string, (journal: Journal, failure: ApiError | undefined) => void> = {
  poll: (journal, failure) => journal.polled('p', { ...poll, failure }),
  forecast: (journal, failure) => journal.forecast('p', failure),
  history: (journal, failure) => journal.history('p', failure),
}

test.each(Object.entries(subjects))('the failures of a pool that left are forgotten: %s', async (_, note) => {
  const { log, journal } = await start()
  const warnings = () => log.lines.filter(({ level }) => level === 'warn')
  note(journal, timeout)
  note(journal, timeout)
  expect(warnings()).toMatchObject([{ fields: { ...ofPool, reason: 'timeout', error: 'bad' } }])
  journal.forget('p')
  note(journal, timeout)
  expect(warnings()).toHaveLength(2)
})

test('failures of one kind, pool or reason do not hide others', async () => {
  const { log, journal } = await start()
  const failures = () => log.lines.filter(({ level }) => level === 'warn').length
  for (const note of Object.values(subjects)) note(journal, timeout)
  journal.forecast('q', timeout)
  journal.forecast('p', new ApiError('reset', 'bad'))
  journal.discovered(timeout)
  expect(failures()).toBe(6)
})

test('each kind of rejected value, notice and internal error is logged once', async () => {
  const { log, journal } = await start()
  const value = (attribute: string, reason: RejectedValue['reason']) =>
    ({ attribute, reason, node: 'n1', text: 'x', times: 1 }) satisfies RejectedValue
  for (let times = 0; times < 2; times += 1) {
    journal.rejected('p', [value('a', 'text'), value('a', 'negative'), value('b', 'text')])
    journal.historyNotice('p', 'one')
    journal.historyNotice('p', 'two')
    for (const what of ['one', 'two']) journal.internalError(what, new Error('a bug'))
  }
  expect(
    log.lines.map(({ level, fields }) => `${level} ${fields['attribute'] ?? fields['what'] ?? ''}`),
  ).toEqual(['warn a', 'warn a', 'warn b', 'info ', 'info ', 'error one', 'error two'])
  expect(log.lines[0]?.fields).toMatchObject({ ...ofPool, node: 'n1', reason: 'text', value: 'x' })
})

test('what the query interface lacks is logged once for each query', async () => {
  const { log, journal } = await start()
  for (let times = 0; times < 2; times += 1) {
    journal.queried('empty', poll)
    for (const query of ['one', 'two']) {
      journal.queryFailed(query, timeout)
      journal.queryEmpty(query)
    }
    journal.unmatched(0)
    journal.unmatched(3)
  }
  const lines = log.lines.filter(({ level }) => level !== 'debug')
  expect(lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['info', { system: 'a' }],
    ['warn', { system: 'a', query: 'one', reason: 'timeout', error: 'bad' }],
    ['info', { system: 'a', query: 'one' }],
    ['warn', { system: 'a', query: 'two', reason: 'timeout', error: 'bad' }],
    ['info', { system: 'a', query: 'two' }],
    ['warn', { system: 'a', rows: 3 }],
  ])
})

test('a list of pools is logged when pools come or go, with their names', async () => {
  const { log, journal } = await start()
  const p = { id: 'p', name: 'hot' }
  const q = { id: 'q', name: undefined }
  journal.pools([], [])
  journal.pools([], [p, q])
  journal.pools(['p', 'q'], [p, q])
  journal.pools(['p', 'q'], [q])
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { system: 'a', pools: 2, appeared: 'hot (p), q', left: '' },
    { system: 'a', pools: 1, appeared: '', left: 'hot (p)' },
  ])
})
