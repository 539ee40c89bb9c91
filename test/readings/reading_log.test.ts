import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import type { RejectedValue } from '../../src/api/parse/json.ts'
import { createReadingLog, type ReadingLog } from '../../src/readings/reading_log.ts'
import { withPools } from '../../src/state/changes.ts'
import { ownMetrics, recordingLog, storeOfA } from './setup.ts'

/** The pollLog of system `a`, which has the pool `p` with the name `hot`. */
async function start() {
  const store = await storeOfA()
  await store.update('a', (state) => withPools(state, [{ id: 'p', name: 'hot' }]))
  const log = recordingLog('debug')
  return { log, pollLog: createReadingLog({ log, own: ownMetrics(), store, system: 'a' }) }
}

const timeout = new ApiError('timeout', 'bad')
const poll = { seconds: 1.5, nodes: 3 }
const ofPool = { system: 'a', pool: 'hot', pool_id: 'p' }

test('each poll is a debug line with its place, size and outcome', async () => {
  const { log, pollLog } = await start()
  pollLog.polled('p', { ...poll, failure: undefined })
  pollLog.polled('p', { seconds: 2, nodes: undefined, failure: timeout })
  pollLog.queried('empty', poll)
  expect(log.lines.filter(({ level }) => level === 'debug').map(({ fields }) => fields)).toEqual([
    { ...ofPool, outcome: 'ok', nodes: 3, duration_ms: 1500 },
    { ...ofPool, outcome: 'timeout', nodes: undefined, duration_ms: 2000 },
    { system: 'a', outcome: 'empty', nodes: 3, duration_ms: 1500 },
  ])
})

const subjects: Record<string, (pollLog: ReadingLog, failure: ApiError | undefined) => void> = {
  poll: (pollLog, failure) => pollLog.polled('p', { ...poll, failure }),
  forecast: (pollLog, failure) => pollLog.note('forecast of 7d', 'p', failure),
  history: (pollLog, failure) => pollLog.note('history', 'p', failure),
}

test.each(Object.entries(subjects))('the failures of a pool that left are forgotten: %s', async (_, note) => {
  const { log, pollLog } = await start()
  const warnings = () => log.lines.filter(({ level }) => level === 'warn')
  note(pollLog, timeout)
  note(pollLog, timeout)
  expect(warnings()).toMatchObject([{ fields: { ...ofPool, reason: 'timeout', error: 'bad' } }])
  pollLog.forget('p')
  note(pollLog, timeout)
  expect(warnings()).toHaveLength(2)
})

test('failures of one kind, pool or reason do not hide others', async () => {
  const { log, pollLog } = await start()
  const failures = () => log.lines.filter(({ level }) => level === 'warn').length
  for (const note of Object.values(subjects)) note(pollLog, timeout)
  pollLog.note('forecast of 7d', 'q', timeout)
  pollLog.note('forecast of 4w', 'p', timeout)
  pollLog.note('forecast of 7d', 'p', new ApiError('reset', 'bad'))
  pollLog.note('discovery of pools', undefined, timeout)
  expect(failures()).toBe(7)
})

test('each kind of rejected value, notice and internal error is logged once', async () => {
  const { log, pollLog } = await start()
  const value = (attribute: string, reason: RejectedValue['reason']) =>
    ({ attribute, reason, node: 'n1', text: 'x', times: 1 }) satisfies RejectedValue
  for (let times = 0; times < 2; times += 1) {
    pollLog.rejected('p', [value('a', 'text'), value('a', 'negative'), value('b', 'text')])
    pollLog.historyNotice('p', 'one')
    pollLog.historyNotice('p', 'two')
    for (const what of ['one', 'two']) pollLog.internalError(what, new Error('a bug'))
  }
  expect(
    log.lines.map(({ level, fields }) => `${level} ${fields['attribute'] ?? fields['what'] ?? ''}`),
  ).toEqual(['warn a', 'warn a', 'warn b', 'info ', 'info ', 'error one', 'error two'])
  expect(log.lines[0]?.fields).toMatchObject({ ...ofPool, node: 'n1', reason: 'text', value: 'x' })
})

test('a query that fails or has no data, and rows of unknown nodes, are logged once', async () => {
  const { log, pollLog } = await start()
  for (let times = 0; times < 2; times += 1) {
    for (const query of ['one', 'two']) {
      pollLog.queryFailed(query, timeout)
      pollLog.queryEmpty(query)
    }
    for (const rows of [0, 3]) pollLog.unmatched(rows)
  }
  expect(log.lines.map(({ level, fields }) => [level, fields['query'] ?? fields['rows']])).toEqual([
    ...['one', 'two'].flatMap((query) => ['warn', 'info'].map((level) => [level, query])),
    ['warn', 3],
  ])
  expect(log.lines[0]?.fields).toEqual({ system: 'a', query: 'one', reason: 'timeout', error: 'bad' })
})

test('a list of pools is logged when pools come or go, with their names', async () => {
  const { log, pollLog } = await start()
  const q = { id: 'q', name: undefined }
  pollLog.pools([], [{ id: 'p', name: 'hot' }, q])
  pollLog.pools(['q'], [q])
  pollLog.pools(['p', 'q'], [q])
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { system: 'a', pools: 2, appeared: 'hot (p), q', left: '' },
    { system: 'a', pools: 1, appeared: '', left: 'hot (p)' },
  ])
})

test('a namespace without a name is not called a node', async () => {
  const { log, pollLog } = await start()
  pollLog.rejected(undefined, [{ attribute: 'namespaces', reason: 'no_id', node: '', text: '', times: 1 }])
  expect(log.lines).toMatchObject([
    { level: 'warn', fields: { attribute: 'namespaces', why: 'is an entry without a usable id or name' } },
  ])
})
