import Router from '@koa/router'
import Koa from 'koa'
import type { Log } from '../../log.ts'
import { type LandingPage, renderLandingPage } from './landing_page.ts'
import { readPageStyle } from './page_style.ts'
import { createScrape, type ScrapeSources } from './scrape.ts'

export interface MetricsAppOptions extends ScrapeSources {
  /** Whether every system was tried once. */
  readonly ready: () => boolean
  /** Loads the configuration again; undefined: not enabled. Rejects with the reason in words. */
  readonly reload: (() => Promise<void>) | undefined
  readonly landing: LandingPage
  readonly log: Log
}

/** Paths that never ask for authentication: they tell nothing but that the program runs. */
export const OPEN_PATHS = ['/-/healthy', '/-/ready'] as const

/** The first listener: `/metrics` and what operators need around it. */
export function createMetricsApp(options: MetricsAppOptions): Koa {
  const style = readPageStyle()
  const router = new Router()
  router.get('/metrics', createScrape(options))
  router.get('/-/healthy', (context) => {
    context.body = 'sds-exporter is healthy.\n'
  })
  router.get('/-/ready', (context) => {
    const ready = options.ready()
    context.status = ready ? 200 : 503
    context.body = ready ? 'sds-exporter is ready.\n' : 'Not every system was tried yet.\n'
  })
  router.post('/-/reload', (context) => answerReload(context, options.reload))
  router.get('/', (context) => {
    context.type = 'text/html; charset=utf-8'
    context.set(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
    )
    context.set('Cache-Control', 'no-store')
    context.body = renderLandingPage(options.landing, style)
  })
  const app = new Koa()
  app.on('error', (error: unknown) =>
    options.log.error('a request could not be answered', { error: String(error) }),
  )
  app.use(router.routes())
  app.use(router.allowedMethods())
  return app
}

async function answerReload(context: Koa.Context, reload: (() => Promise<void>) | undefined): Promise<void> {
  if (reload === undefined) {
    context.status = 403
    context.body = 'Reloading over HTTP is off: start with --web.enable-lifecycle, or send SIGHUP.\n'
    return
  }
  try {
    await reload()
    context.body = 'The configuration was loaded again.\n'
  } catch (failure) {
    context.status = 500
    context.body = `The configuration was refused, the old one stays:\n${failure instanceof Error ? failure.message : ''}\n`
  }
}
