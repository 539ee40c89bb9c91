import { expect, test } from 'vitest'
import type { ApiError } from '../../../src/api/errors/errors.ts'
import { silentLog } from '../../../src/log.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'
import { createPage } from '../../../src/metrics/page.ts'
import { newSystem, withPerformance, withPoll, withPools } from '../../../src/poller/state.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import { renderLandingPage } from '../../../src/server/metrics/landing_page.ts'
import { createMetricsApp, OPEN_PATHS } from '../../../src/server/metrics/metrics_app.ts'
import { readingOf } from '../../poller/setup.ts'
import { fitsWidth, launchChromium, visit } from '../../support/chromium.ts'

const POOL = { id: 'urn:storageos:VirtualArray:b17d28fa-7fc3-465e-9f43-281e72a349eb', name: 'hot' }
const MESSAGE = `system demo, nodes of pool ${POOL.id} (/dashboard/storagepools/${POOL.id}/nodes): connection <refused>`

/** A system with one pool that is not reachable. */
function failingSystem() {
  const failure = { reason: 'connect', message: MESSAGE } as const
  const attempt = { at: 1_785_312_642, seconds: 0.1, failure }
  return withPoll({ ...withPools(newSystem('demo'), [POOL]), tried: true }, POOL.id, attempt)
}

test('the landing page shows failures, on a desktop and on a phone', async () => {
  const app = createMetricsApp({
    page: () => createPage([]),
    own: createOwnMetrics({ version: '1.2.3', nodeVersion: 'v24' }),
    ready: () => true,
    reload: undefined,
    landing: { version: '1.2.3', systems: () => [failingSystem()] },
    log: silentLog,
  })
  const listener = createListener({
    address: '127.0.0.1:0',
    handler: app.callback(),
    openPaths: OPEN_PATHS,
    log: silentLog,
  })
  await listener.start()
  const browser = await launchChromium()
  try {
    for (const view of ['desktop', 'phone'] as const) {
      const { page, problems } = await visit(browser, `${listener.url}/`, { view })
      expect(await page.textContent('main')).toContain(MESSAGE)
      expect(await page.textContent('main')).toContain('0 of 1 pool read, 0 nodes')
      expect(await fitsWidth(page)).toBe(true)
      expect(problems).toEqual([])
    }
  } finally {
    await browser.close()
    await listener.stop()
  }
})

/** The text about one system whose feed has the capacity of node n1 only. */
function textOf(change: (system: ReturnType<typeof polledSystem>) => typeof system = (system) => system) {
  const systems = () => [change(polledSystem())]
  const html = renderLandingPage({ version: '1.2.3', systems }, '')
  return /<span class="quiet">(\d of .*?)<\/li>/s.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, ' ')
}

function polledSystem() {
  const attempt = { at: 1_785_312_642, seconds: 0.1, failure: undefined }
  const system = { ...withPools(newSystem('demo'), [POOL]), tried: true }
  return withPoll(system, POOL.id, attempt, readingOf({ n1: 1 }))
}

const receivedAtMs = 0
const failing = (reason: ApiError['reason']) => ({
  reading: undefined,
  receivedAtMs,
  failure: { reason, message: 'system demo, query: <details>' },
})

test('the landing page has the state of the query interface in words', () => {
  expect(textOf()).toContain('1 of 1 pool read, 1 node; query interface: not polled')
  const empty = { stop: undefined, nodes: [], rejected: [] }
  const answered = (reading: typeof empty | undefined) => ({ reading, receivedAtMs, failure: undefined })
  expect(textOf((system) => withPerformance(system, answered(empty)))).toContain('no current data')
  const node = {
    nodeId: 'id-n1',
    host: undefined,
    rows: 1,
    values: new Map(),
    errors: undefined,
    latencies: new Map(),
    interfaces: [],
  }
  const full = { reading: { ...empty, nodes: [node] }, receivedAtMs, failure: undefined }
  expect(textOf((system) => withPerformance(system, full))).toContain('query interface: available, 1 node')
})

test.each([
  ['not_found', 'not there'],
  ['forbidden', 'the account lacks the role'],
  ['client_error', 'queries are refused'],
  ['timeout', 'the last poll failed'],
] as const)('the landing page shows a query interface that fails with %s', (reason, words) => {
  const text = textOf((system) => withPerformance(system, failing(reason)))
  expect(text).toContain(`query interface: ${words}`)
  expect(text).toContain('system demo, query: &lt;details&gt;')
})

test('the landing page shows that a full feed needs no query interface', () => {
  const covered = new Map([['nodeCpuUtilization', { served: 1, absent: 0, unreadable: 0 }]] as const)
  const attempt = { at: 1_785_312_642, seconds: 0.1, failure: undefined }
  const reading = { ...readingOf({ n1: 1 }), coverage: covered }
  expect(textOf((system) => withPoll(system, POOL.id, attempt, reading))).toContain('not needed')
})
