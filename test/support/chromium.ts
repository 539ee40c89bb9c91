import { type Browser, chromium, type Page } from 'playwright-core'
import { toolPath } from './tools.ts'

export const VIEWS = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const
export type View = keyof typeof VIEWS

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

export interface VisitOptions {
  readonly view?: View
  readonly colorScheme?: 'light' | 'dark'
  readonly headers?: Readonly<Record<string, string>>
}

/** An open page, with its errors and requests. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  /** Messages of uncaught errors, console errors and failed requests. */
  readonly problems: readonly string[]
  /** All requested URLs, starting with that of the page. */
  readonly requests: readonly string[]
  /** Writes the whole page as PNG. */
  screenshot(file: string): Promise<void>
}

/** Opens a URL in a new context, which shares no storage with others, and waits for the load event. */
export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const { view = 'desktop', colorScheme = 'light', headers = {} } = options
  const context = await browser.newContext({
    viewport: VIEWS[view],
    hasTouch: view === 'phone',
    colorScheme,
    extraHTTPHeaders: headers,
    ignoreHTTPSErrors: true,
  })
  const page = await context.newPage()
  const watched = watch(page)
  try {
    await page.goto(url)
  } catch (failure) {
    await context.close()
    throw failure
  }
  return {
    page,
    ...watched,
    screenshot: async (path) => void (await page.screenshot({ path, fullPage: true })),
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Whether the page is not wider than the window, which would require horizontal scrolling. */
export async function fitsWidth(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
  )
}

/** Elements whose text has a contrast below 4.5:1 against its background. */
export function lowContrasts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const parse = (text) => text.match(/[\\d.]+/g).map(Number)
    const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
    const ground = (element) => {
      for (let e = element; e; e = e.parentElement) {
        const [r, g, b, a = 1] = parse(getComputedStyle(e).backgroundColor)
        if (a > 0) return [r, g, b]
      }
      return [255, 255, 255]
    }
    return [...document.querySelectorAll('body *')]
      .filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
      .filter((e) => {
        const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))]
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5
      })
      .map((e) => e.tagName + ': ' + e.textContent.trim().slice(0, 40))
  })()`)
}

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
