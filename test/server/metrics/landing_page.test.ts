import { expect, test } from 'vitest'
import { silentLog } from '../../../src/log.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'
import { createPage } from '../../../src/metrics/page.ts'
import { newSystem, withPoll, withPools } from '../../../src/poller/state.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import { createMetricsApp, OPEN_PATHS } from '../../../src/server/metrics/metrics_app.ts'
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
