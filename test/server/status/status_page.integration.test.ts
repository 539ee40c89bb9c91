import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StatusAppOptions } from '../../../src/server/status/status_app.ts'
import { dropNodes, withPoll } from '../../../src/state/changes.ts'
import { newSystem, type SystemState } from '../../../src/state/state.ts'
import { createRecent } from '../../../src/status/recent.ts'
import { startWithEmulator } from '../../faults/exporter_setup.ts'
import { T } from '../../readings/setup.ts'
import { failedPoll, polledSystem } from '../../status/systems.ts'
import { get } from '../../support/http.ts'
import {
  coveredByFocusRings,
  launchChromium,
  lookFindings,
  navigate,
  type Visit,
  visit,
} from '../../support/programs/chromium.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { pageListener, statusSources } from './status_setup.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** Checks what holds for every page. */
async function checkLook({ page, problems, requests }: Visit): Promise<void> {
  expect(await lookFindings(page)).toEqual([])
  expect(problems).toEqual([])
  expect(new Set(requests.map((request) => new URL(request).origin))).toEqual(
    new Set([new URL(page.url()).origin]),
  )
}

/** A page that shows these systems at the time T, until others are set. */
async function openStatus(systems: readonly SystemState[], path = '/', more: Partial<StatusAppOptions> = {}) {
  const shown = { systems, seconds: T }
  const recent = createRecent(() => 0)
  for (const system of systems) recent.changed(system)
  const sources = { recent, systems: () => shown.systems, now: () => shown.seconds * 1000, ...more }
  const listener = pageListener(statusSources([], sources))
  await listener.start()
  const visited = await visit(browser, `${listener.url}${path}`)
  return {
    url: listener.url,
    visited,
    page: visited.page,
    listener,
    /** Shows other systems and refreshes the page. */
    async show(next: readonly SystemState[], seconds = T) {
      Object.assign(shown, { systems: next, seconds })
      await refresh(visited.page)
    },
    async [Symbol.asyncDispose]() {
      await visited[Symbol.asyncDispose]()
      await listener.stop()
    },
  }
}

/** What the browser does when the user returns to the page. */
function refresh(page: Page): Promise<void> {
  return page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
}

const textOf = (page: Page) => page.locator('#content').innerText()

async function expectText(page: Page, text: string): Promise<void> {
  await waitForAssertion(async () => expect(await textOf(page)).toContain(text))
}

test('the page of a running exporter, and all its links answer', async () => {
  await using setup = await startWithEmulator({ scenario: 'disk-failures', pools: 2, nodes: 3 })
  await using visited = await visit(browser, `${setup.exporter.url}/`)
  for (const words of ['Needs attention', 'bad disks', 'Bad']) await expectText(visited.page, words)
  await visited.page.evaluate('for (const one of document.querySelectorAll(".connection")) one.open = true')
  const links = visited.page.getByRole('link', {
    name: /^(Metrics|Service discovery|Status as JSON|poll now.*)$/,
  })
  const hrefs = await links.evaluateAll((all) =>
    all.map((link) => (link as unknown as { href: string }).href),
  )
  expect(hrefs).toHaveLength(4)
  for (const href of hrefs) expect((await get(href)).status).toBe(200)
  await checkLook(visited)
})

test('20 nodes, ten of which have findings, are on at most 3000 pixels of a phone', async () => {
  await using setup = await startWithEmulator({ scenario: 'disk-failures', pools: 1, nodes: 20 })
  await using visited = await visit(browser, `${setup.exporter.url}/`)
  const { page } = visited
  await page.setViewportSize({ width: 390, height: 844 })
  await expectText(page, '10 nodes without findings')
  await expectText(page, ', write ')
  const size = '[document.documentElement.scrollWidth, document.documentElement.scrollHeight]'
  const [width, height] = (await page.evaluate(size)) as [number, number]
  expect(width).toBe(390)
  expect(height).toBeLessThanOrEqual(3000)
})

describe('the states of one pool', () => {
  const good = polledSystem('a', { p: [{ name: 'n1' }] })
  const failing = withPoll(good, 'urn:p:', failedPoll(T + 60))

  test('first start', async () => {
    await using scene = await openStatus([newSystem('a')])
    await expectText(scene.page, 'waiting for the first poll')
    expect(await scene.page.title()).toBe('waiting for the first poll of 1 system – sds-exporter')
    expect(await scene.page.locator('body').getAttribute('data-refresh-seconds')).toBe('2')
    await checkLook(scene.visited)
    await scene.show([good])
    await expectText(scene.page, '1 node, all Good')
    expect(await scene.page.title()).toBe('sds-exporter')
  })

  test('failing, stale, and good again', async () => {
    await using scene = await openStatus([good])
    await scene.show([failing], T + 70)
    await expectText(scene.page, 'values from 70s ago are served for another 3m')
    await expectText(scene.page, 'What to do: check the firewall')
    expect(await scene.page.title()).toBe('1 problem – sds-exporter')
    await scene.show([dropNodes(failing, 'urn:p:')], T + 400)
    await expectText(scene.page, 'there are no values')
    await checkLook(scene.visited)
    await scene.show([good])
    await expectText(scene.page, 'no problems')
  })

  test('with hostile and long names', async () => {
    const name = `<img src=x onerror=alert(1)>${'x'.repeat(150)}\u202e`
    await using scene = await openStatus([polledSystem('a', { [name]: [{ name, health: '<b>Bad</b>' }] })])
    await expectText(scene.page, '<img src=x onerror=alert(1)>')
    await expectText(scene.page, '\\u202e')
    expect(await scene.page.locator('main img, main b').count()).toBe(0)
    await checkLook(scene.visited)
  })
})

test('an open block of problems has each text once, and a closed one the summaries', async () => {
  const nodes = [{ name: 'n1', health: 'Bad', badDisks: 1 }]
  await using scene = await openStatus([polledSystem('a', { p: nodes, q: nodes })])
  const blocks = scene.page.locator('.problem')
  expect(await blocks.count()).toBe(2)
  for (const block of await blocks.all()) {
    const summaries = block.locator('summary .words')
    const isOpen = (await block.getAttribute('open')) !== null
    expect(await summaries.isVisible()).toBe(!isOpen)
    await block.locator('summary').click()
    expect(await summaries.isVisible()).toBe(isOpen)
  }
})

describe('the links', () => {
  const systems = [polledSystem('a', { p: [{ name: 'n1' }] })]

  test('to an administration on a loopback address says how to reach it from another machine', async () => {
    await using scene = await openStatus(systems, '/', { adminUrl: () => 'http://127.0.0.1:9439/' })
    const hint = 'ssh -L 9439:127.0.0.1:9439'
    expect(await textOf(scene.page)).not.toContain(hint)
    const elsewhere = await get(scene.url, { Host: 'exporter.example.net:9438' })
    expect(elsewhere.text).toContain(`<code>${hint} exporter.example.net</code>`)
    expect((await get(scene.url, { Host: '"onload=x' })).text).not.toContain(hint)
  })

  test('of problems lead to the runbooks of their alerts', async () => {
    await using scene = await openStatus([polledSystem('a', { p: [{ name: 'n1', health: 'Bad' }] })])
    const { page, url } = scene
    const link = page.getByRole('link', { name: /^Runbook of Sds/ }).first()
    const alert = ((await link.textContent()) ?? '').replace('Runbook of ', '')
    await link.click()
    expect(page.url()).toBe(`${url}/runbooks#${alert}`)
    await page.getByRole('heading', { name: alert, exact: true }).waitFor()
    const targets = await page
      .locator('main a[href^="#"]')
      .evaluateAll((links) => links.map((link) => (link as unknown as { hash: string }).hash.slice(1)))
    const ids = await page.locator('[id]').evaluateAll((found) => found.map(({ id }) => id))
    expect(targets.length).toBeGreaterThan(50)
    expect(targets.filter((target) => !ids.includes(target))).toEqual([])
    expect(await page.locator('main').innerText()).not.toMatch(/\]\(|\*\*|```|\\u00/)
    await checkLook(scene.visited)
  })
})

describe('a refresh', () => {
  const before = polledSystem('a', { p: [{ name: 'n1' }, { name: 'n2' }], q: [{ name: 'n3' }] })
  const after = polledSystem('a', { p: [{ name: 'n1' }, { name: 'n2', health: 'Bad' }], q: [{ name: 'n3' }] })

  test('changes only what is different: opened pools, focus and scroll position stay', async () => {
    await using scene = await openStatus([before])
    const { page } = scene
    const pool = page.locator('details.pool').first()
    await pool.locator('> summary').focus()
    await page.keyboard.press('Enter')
    expect(await pool.getAttribute('open')).toBe('')
    await page.evaluate(`
      document.body.style.minHeight = '3000px'
      scrollTo(0, 120)
      for (const row of document.querySelectorAll('tr[data-key]')) row.mark = row.dataset.key`)
    await page.evaluate(`document.querySelector('[type=search]').value = 'node-'`)
    await scene.show([after])
    await expectText(page, '1 of 2 nodes not Good: n2 (Bad)')
    expect(await page.getByRole('searchbox').inputValue()).toBe('node-')
    expect(await pool.getAttribute('open')).toBe('')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY')
    expect(await page.evaluate('scrollY')).toBe(120)
    const rows = `[...document.querySelectorAll('details.pool:first-of-type tr[data-key]')].map((row) => row.mark)`
    expect(await page.evaluate(rows)).toEqual(['id-n2', 'id-n1'])
    expect(scene.visited.problems).toEqual([])
  })

  test('happens by itself, and can be paused', async () => {
    await using scene = await openStatus([before])
    const { page } = scene
    const button = page.getByRole('button', { name: 'Refreshing' })
    expect(await button.getAttribute('aria-pressed')).toBe('true')
    const requested = () => scene.visited.requests.length
    const first = requested()
    await waitForAssertion(() => expect(requested()).toBeGreaterThan(first))
    await button.click()
    expect(await page.locator('#refresh-button').innerText()).toContain('Paused')
    const paused = requested()
    await refresh(page)
    // A request of the page that comes after those that the script sent.
    await page.evaluate(`fetch('/-/healthy')`)
    expect(scene.visited.requests.slice(paused)).toEqual([`${scene.url}/-/healthy`])
    await page.getByRole('button', { name: 'Paused' }).click()
    await waitForAssertion(() => expect(requested()).toBeGreaterThan(paused + 1))
  })

  test('says when the exporter cannot be reached, and from when the page is', async () => {
    await using scene = await openStatus([before])
    await scene.listener.stop()
    await refresh(scene.page)
    const alert = scene.page.getByRole('alert')
    const shownAt = await scene.page.locator('#updated time').innerText()
    await waitForAssertion(async () =>
      expect(await alert.innerText()).toMatch(
        new RegExp(`cannot be reached .*This page shows its state at ${shownAt}`),
      ),
    )
    expect(await textOf(scene.page)).toContain('no problems')
    // A click fails if the message covers the button.
    await scene.page.getByRole('button', { name: 'Refreshing' }).click({ timeout: 5000 })
    expect(await lookFindings(scene.page)).toEqual([])
  })
})

test('what is selected looks well, found or not', async () => {
  const nodes = Array.from({ length: 250 }, (_, index) => ({ name: `n${index}` }))
  await using scene = await openStatus([polledSystem('a', { p: nodes, q: [{ name: 'm', badDisks: 1 }] })])
  const { page, url } = scene
  const id = `?q=${'a'.repeat(36)}`
  for (const query of ['?q=n24', '?q=lisbon', id, '?system=a', '?system=a&pool=p', '?system=lisbon']) {
    await navigate(page, `${url}/${query}`)
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    expect({ query, findings: await lookFindings(page) }).toEqual({ query, findings: [] })
  }
})

test('a state of health is one line at any zoom', async () => {
  await using scene = await openStatus([polledSystem('a', { p: [{ name: 'n1', health: 'NotAccessible' }] })])
  const { page } = scene
  for (const width of [320, 500, 641, 700, 853, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const lines = `(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('.health'))
      return new Set([...range.getClientRects()].map(({ top }) => top)).size
    })()`
    expect([width, await page.evaluate(lines)]).toEqual([width, 1])
  }
})

test('without a script the page is complete, and the browser reloads it', async () => {
  await using scene = await openStatus([polledSystem('a', { p: [{ name: 'n1', health: 'Bad' }] })])
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await navigate(page, scene.url)
  expect(await textOf(page)).toContain('n1 (Bad)')
  expect(await page.content()).toContain('http-equiv="refresh"')
  expect(await page.getByRole('button', { name: 'Refreshing' }).isVisible()).toBe(false)
  await context.close()
})

describe('for keyboards and screen readers', () => {
  test('has landmarks, headings, labels and titles of columns', async () => {
    await using scene = await openStatus([polledSystem('a', { p: [{ name: 'n1', health: 'Bad' }] })])
    const { page } = scene
    await page.getByRole('banner').waitFor()
    await page.getByRole('main').waitFor()
    await page.getByRole('search').waitFor()
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    await page.getByRole('region', { name: 'System a' }).waitFor()
    await page.getByRole('table', { name: 'Nodes of pool p' }).waitFor()
    expect(await page.getByRole('columnheader').allInnerTexts()).toContain('Health')
    await page
      .getByRole('img', { name: /^Failed polls of the last 5m: 0 to 0$/ })
      .first()
      .waitFor()
    expect(await page.locator('svg:not([aria-hidden]):not([aria-label])').count()).toBe(0)
  })

  test('can skip the navigation, and open a pool', async () => {
    await using scene = await openStatus([
      polledSystem('a', {
        p: [{ name: 'n1', health: 'Bad' }],
        q: [{ name: 'n2', badDisks: 2 }],
        r: [{ name: 'n3' }],
      }),
    ])
    const { page } = scene
    expect(await coveredByFocusRings(page)).toEqual([])
    await page.reload()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await page.locator('details.pool > summary').last().focus()
    await page.keyboard.press(' ')
    await page.getByRole('table', { name: 'Nodes of pool r' }).waitFor()
  })
})

describe('10,000 nodes', () => {
  const nodes = Array.from({ length: 625 }, (_, index) => ({
    name: `node-${index}`,
    health: index === 600 ? 'Bad' : 'Good',
  }))
  const large = polledSystem(
    'large',
    Object.fromEntries(Array.from({ length: 16 }, (_, pool) => [`pool-${pool}`, nodes])),
  )

  test('give a page of bounded size, with the bad ones', async () => {
    await using scene = await openStatus([large])
    const { page } = scene
    expect((await page.content()).length).toBeLessThan(700_000)
    expect(await page.locator('tr.critical').count()).toBeGreaterThan(0)
    expect(await page.locator('.pool').count()).toBe(16)
    expect(await page.locator('details.pool[open]').count()).toBe(1)
    await expectText(page, '10000 nodes: 9984 Good, 16 Bad')
    expect(scene.visited.problems).toEqual([])
  })
})
