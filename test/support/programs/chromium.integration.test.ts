import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../folders.ts'
import { freePort } from '../ports.ts'
import { launchChromium, lookFindings, VIEWS, visit } from './chromium.ts'

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

test('looks at a page in every window, and finds what violates a rule of accessibility', async () => {
  const document = (body: string) =>
    page(`<html lang=en><title>page</title><main><h1>Page</h1>${body}</main>`).replace(
      '<body',
      '<html lang=en><body',
    )
  await using good = await visit(browser, document('<p>short</p>'))
  expect(await lookFindings(good.page)).toEqual([])
  await using bad = await visit(browser, document('<div style="width:600px">wide</div><button></button>'))
  const findings = await lookFindings(bad.page)
  expect(findings.filter((finding) => finding.includes('wider'))).toEqual([
    'narrow light: wider than the window',
    'narrow dark: wider than the window',
  ])
  expect(findings.filter((finding) => finding.includes('button-name'))).toHaveLength(2)
})

test('sets the colour scheme', async () => {
  await using dark = await visit(browser, page('night'), { colorScheme: 'dark' })
  expect(await dark.page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true)
})
