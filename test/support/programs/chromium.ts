import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, errors, type Page } from 'playwright-core'
import { get } from '../http.ts'
import { toolPath } from '../tools.ts'

const DESKTOP = { width: 1280, height: 800 } as const

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Starts a headless browser; `await using` closes it. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: toolPath('chromium'), args: FLAGS, headless: true })
}

/** An open page, with its errors and requests. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  /** Messages of uncaught errors, console errors and failed requests. */
  readonly problems: readonly string[]
  /** All requested URLs, starting with that of the page. */
  readonly requests: readonly string[]
}

/** Runs what opens a URL again if Chromium does not open it in time although the server responds, which was seen once. */
async function repeated<T>(url: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (failure) {
    if (!(failure instanceof errors.TimeoutError)) throw failure
    await get(url)
    return open()
  }
}

/** Opens a URL in an open page, and waits for the load event. */
export async function navigate(page: Page, url: string): Promise<void> {
  await repeated(url, () => page.goto(url))
}

/** Opens a URL in a new context, which shares no storage with others, and waits for the load event. */
export function visit(browser: Browser, url: string): Promise<Visit> {
  return repeated(url, () => visitOnce(browser, url))
}

async function visitOnce(browser: Browser, url: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: DESKTOP })
  const page = await context.newPage()
  const watched = watch(page)
  try {
    await page.goto(url)
  } catch (failure) {
    await context.close()
    throw failure
  }
  return { page, ...watched, [Symbol.asyncDispose]: () => context.close() }
}

/** Whether the page is not wider than the window, which would require horizontal scrolling. */
function fitsWidth(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
  )
}

const CONTRAST = `{ runOnly: ['color-contrast'] }`
const { width: WIDE } = DESKTOP
const NARROW = 320
const LIGHT = { colorScheme: 'light', forcedColors: 'none' } as const
const DARK = { colorScheme: 'dark', forcedColors: 'none' } as const
const FORCED = { colorScheme: 'dark', forcedColors: 'active' } as const
/** All rules are checked where the layout differs; where only colours do, that of contrast. */
const LOOKS = [
  { name: 'light', width: WIDE, media: LIGHT, rules: '{}' },
  { name: 'dark', width: WIDE, media: DARK, rules: CONTRAST },
  { name: 'forced colours', width: WIDE, media: FORCED, rules: CONTRAST },
  { name: 'narrow light', width: NARROW, media: LIGHT, rules: '{}' },
  { name: 'narrow dark', width: NARROW, media: DARK, rules: CONTRAST },
]

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Looks at the page in its present state: in light, dark and forced colours, wide and narrow.
 * @returns what violates a rule of axe-core, contrast included, in which look the page is wider than the window, and
 * which words in heads of tables are on two lines
 */
export async function lookFindings(page: Page): Promise<string[]> {
  const findings: string[] = []
  if (await page.evaluate<boolean>('typeof axe === "undefined"')) await page.evaluate(AXE)
  for (const { name, width, media, rules } of LOOKS) {
    await page.setViewportSize({ width, height: DESKTOP.height })
    await page.emulateMedia(media)
    if (!(await fitsWidth(page))) findings.push(`${name}: wider than the window`)
    for (const word of await page.evaluate<string[]>(BROKEN_HEADS))
      findings.push(`${name}: ${word} is broken`)
    const violations = await page.evaluate<string[]>(violationsOf(rules))
    findings.push(...violations.map((violation) => `${name}: ${violation}`))
  }
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia(LIGHT)
  return findings
}

/** Heads that only screen readers have are clipped. */
const BROKEN_HEADS = `[...document.querySelectorAll('thead th')].flatMap((head) => {
  const text = head.firstChild
  const isHidden = !head.checkVisibility() || getComputedStyle(head.closest('thead')).clipPath !== 'none'
  if (isHidden || text?.nodeType !== Node.TEXT_NODE) return []
  return [...text.data.matchAll(/\\S+/g)].flatMap(({ 0: word, index }) => {
    const range = document.createRange()
    range.setStart(text, index)
    range.setEnd(text, index + word.length)
    return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1 ? [word] : []
  })
})`

const violationsOf = (options: string) => `axe.run(document, ${options}).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ': ' + failureSummary)))`

const MAX_TABS = 100

/** Presses Tab through the page. @returns what the focus ring of any element covers, and which elements have none */
export async function coveredByFocusRings(page: Page): Promise<string[]> {
  const covered: string[] = []
  const seen = new Set<string>()
  await page.evaluate('document.activeElement.blur()')
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    await page.keyboard.press('Tab')
    const { focused, findings } = await page.evaluate<{ focused: string; findings: string[] }>(FOCUS_RING)
    if (seen.has(focused)) return covered
    seen.add(focused)
    covered.push(...findings)
  }
  return covered
}

/** The path of the focused element, and the texts and controls that its focus ring covers. */
const FOCUS_RING = `(() => {
  const focused = document.activeElement
  const pathOf = (e) => (e.parentElement ? pathOf(e.parentElement) + '/' + [...e.parentElement.children].indexOf(e) : '')
  if (focused === document.body) return { focused: 'body', findings: [] }
  const name = focused.tagName + ' ' + (focused.id || focused.textContent.trim().slice(0, 30))
  const style = getComputedStyle(focused)
  if (style.outlineStyle === 'none') return { focused: pathOf(focused), findings: [name + ' has no ring'] }
  const offset = parseFloat(style.outlineOffset)
  const grown = ({ left, top, right, bottom }, by) =>
    ({ left: left - by, top: top - by, right: right + by, bottom: bottom + by })
  const rings = [...focused.getClientRects()].map((box) =>
    ({ outer: grown(box, offset + parseFloat(style.outlineWidth)), inner: grown(box, offset) }))
  const apart = (a, b) => a.right <= b.left || a.left >= b.right || a.bottom <= b.top || a.top >= b.bottom
  const within = (a, b) => a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom
  const covers = (box) => rings.some(({ outer, inner }) => !apart(box, outer) && !within(box, inner))
  const findings = []
  // What a dialog, or an element above the page, hides anyway is not covered by a ring.
  const root = style.position === 'absolute' ? focused : (focused.closest('dialog') ?? document.body)
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    const text = walker.currentNode
    if (!text.data.trim() || !text.parentElement.checkVisibility()) continue
    const range = document.createRange()
    range.selectNodeContents(text)
    // The box of a line is some pixels higher than its letters.
    if ([...range.getClientRects()].some((box) => covers(grown(box, -2)))) {
      findings.push(name + ' covers the text ' + text.data.trim().slice(0, 30))
    }
  }
  for (const control of root.querySelectorAll('a, button, input, select, svg, summary')) {
    if (!control.checkVisibility() || control.contains(focused) || focused.contains(control)) continue
    if ([...control.getClientRects()].some(covers)) findings.push(name + ' covers ' + control.tagName)
  }
  return { focused: pathOf(focused), findings }
})()`

function watch(page: Page): { readonly problems: string[]; readonly requests: string[] } {
  const problems: string[] = []
  const requests: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`console: ${message.text()}`)
  })
  page.on('requestfailed', (request) =>
    problems.push(`failed: ${request.url()} ${request.failure()?.errorText}`),
  )
  page.on('request', (request) => requests.push(request.url()))
  return { problems, requests }
}
