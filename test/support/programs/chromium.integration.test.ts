import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../folders.ts'
import { freePort } from '../ports.ts'
import { fitsWidth, launchChromium, VIEWS, visit } from './chromium.ts'

const page = (body: string) =>
  `data:text/html,${encodeURIComponent(`<!doctype html><meta name=viewport content="width=device-width"><body style="margin:0">${body}`)}`

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

test.each(['desktop', 'phone'] as const)('renders a page with text in the size of a %s', async (view) => {
  using folder = temporaryFolder()
  await using visited = await visit(browser, page('<span id=word>Frankfurt</span>'), { view })
  const file = join(folder.path, 'page.png')
  await visited.screenshot(file)
  const png = readFileSync(file)
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([VIEWS[view].width, VIEWS[view].height])
  expect((await visited.page.locator('#word').boundingBox())?.width).toBeGreaterThan(30)
  expect(visited.problems).toEqual([])
})

test('records errors of a page', async () => {
  await using visited = await visit(
    browser,
    page(`<script>console.error('one'); throw new Error('two')</script>`),
  )
  expect(visited.problems).toEqual(['console: one', 'error: two'])
})

test('records requests of a page, also failed ones', async () => {
  const image = `http://127.0.0.1:${await freePort()}/x.png`
  await using visited = await visit(browser, page(`<img src="${image}">`))
  expect(visited.requests).toEqual([image])
  expect(visited.problems).toContain(`failed: ${image} net::ERR_CONNECTION_REFUSED`)
})

test('fitsWidth detects a page that is wider than the window', async () => {
  await using narrow = await visit(browser, page('<p>short</p>'), { view: 'phone' })
  expect(await fitsWidth(narrow.page)).toBe(true)
  await using wide = await visit(browser, page('<div style="width:600px">wide</div>'), { view: 'phone' })
  expect(await fitsWidth(wide.page)).toBe(false)
})

test('sets the colour scheme', async () => {
  await using dark = await visit(browser, page('night'), { colorScheme: 'dark' })
  expect(await dark.page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true)
})
