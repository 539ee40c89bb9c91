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
