import type { IncomingMessage, RequestListener } from 'node:http'
import Koa from 'koa'
import type { Log } from '../../log.ts'
import { errorText } from '../../values/errors.ts'
import { hasExpectedHost, isCrossSite, type OriginRules } from '../auth/origin.ts'
import { rawPath } from '../auth/request_check.ts'
import { logFailure } from '../listener/failure_log.ts'
import { sendText } from '../page/send_text.ts'
import { Router } from '../router.ts'
import { createRunbooks, RUNBOOKS_PATH } from '../runbooks/runbooks.ts'
import { createStatusApp, type StatusAppOptions } from '../status/status_app.ts'
import { createHistory } from './history.ts'
import { createSendBody } from './pieces.ts'
import { createProbe, type ProbeSources } from './probe.ts'
import { createScrape, type ScrapeSources } from './scrape.ts'
import { createScrapeSlots, DEFAULT_MAX_REQUESTS } from './scrape_slots.ts'
import { createSelectedScrape } from './selection.ts'
import { createSendExposition } from './send_exposition.ts'
import { createServiceDiscovery } from './service_discovery.ts'

export interface MetricsAppOptions extends ScrapeSources {
  readonly probes: ProbeSources
  /** Responses with metrics in flight; further requests are answered 503. 0: unlimited. Default: 20. */
  readonly maxRequests?: number | undefined
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number
  /** Whether every system was polled once, successfully or not. */
  readonly ready: () => boolean
  /** Reloads the configuration; rejects with the reason. Undefined: reloading over HTTP is disabled. */
  readonly reload: (() => Promise<void>) | undefined
  /** The status page. */
  readonly status: Omit<StatusAppOptions, 'admit' | 'ready' | 'metricsPath'>
  /** The path of the metrics. Default: `/metrics`. */
  readonly metricsPath?: string | undefined
  /** The host names of the listener. */
  readonly origin: OriginRules
  readonly log: Log
}

export const DEFAULT_METRICS_PATH = '/metrics'

/** Paths served without authentication. */
export const OPEN_PATHS = ['/-/healthy', '/-/ready'] as const

/**
 * The application for metrics: `/metrics`, `/probe`, `/history`, `/sd`, status page, health, readiness and reload. An
 * ordinary scrape is served without Koa, which would take as much CPU time as the rest of it.
 */
export function createMetricsApp(options: MetricsAppOptions): RequestListener {
  const router = new Router()
  const { probes, origin, maxRequests = DEFAULT_MAX_REQUESTS, now = () => performance.now() } = options
  const { metricsPath = DEFAULT_METRICS_PATH } = options
  const slots = createScrapeSlots(maxRequests, now)
  const sendBody = createSendBody()
  const sendExposition = createSendExposition(slots, sendBody)
  const scrape = createScrape(options, sendExposition)
  const selected = createSelectedScrape(options, sendExposition)
  router.get(metricsPath, (context) => (context.querystring === '' ? scrape(context) : selected(context)))
  router.get('/probe', createProbe({ ...probes, maxRequests, sendExposition, slots }))
  router.get('/history', createHistory({ ...probes, slots, sendBody }))
  router.get(RUNBOOKS_PATH, createRunbooks())
  router.get('/sd', createServiceDiscovery(probes, slots))
  router.get('/-/healthy', (context) => sendText(context, 200, 'sds-exporter is healthy.'))
  router.get('/-/ready', (context) =>
    options.ready()
      ? sendText(context, 200, 'sds-exporter is ready.')
      : sendText(context, 503, 'Not every system has been polled yet.'),
  )
  router.post('/-/reload', (context) =>
    isCrossSite(context.req, origin)
      ? sendText(context, 403, 'Cross-site request refused.')
      : serveReload(context, options.reload),
  )
  // As many responses at the same time as for scrapes, which it does not hinder.
  const statusSlots = createScrapeSlots(maxRequests, now)
  const status = createStatusApp({
    ...options.status,
    ready: options.ready,
    metricsPath,
    admit: ({ res }, snapshot) => statusSlots.take(res, { group: 'status', exposition: snapshot }),
  })
  // Metrics at / replace the page.
  if (metricsPath !== '/') router.get('/', status.page)
  router.get('/api/v1/status', status.document)
  const app = new Koa()
  app.on('error', (failure: unknown) => logFailure(options.log, 'request failed', failure))
  app.use((context, next) => checkHost(context, next, origin))
  app.use(router.routes())
  app.use(router.allowedMethods())
  const serve = app.callback()
  const isScrape = (request: IncomingMessage) =>
    request.url === metricsPath && request.method === 'GET' && hasExpectedHost(request, origin)
  return (req, res) => (isScrape(req) ? scrape({ req, res }) : serve(req, res))
}

/** Protects against DNS rebinding. Health and readiness are served under every name. */
async function checkHost(context: Koa.Context, next: Koa.Next, origin: OriginRules): Promise<void> {
  const isOpen = OPEN_PATHS.some((open) => open === rawPath(context.req))
  if (isOpen || hasExpectedHost(context.req, origin)) return next()
  sendText(context, 421, 'Unknown host name. To allow it, start the exporter with --web.allowed-hosts=NAME')
}

async function serveReload(context: Koa.Context, reload: (() => Promise<void>) | undefined): Promise<void> {
  if (reload === undefined)
    return sendText(
      context,
      403,
      'Reload over HTTP is disabled: start with --web.enable-lifecycle, or send SIGHUP.',
    )
  try {
    await reload()
    sendText(context, 200, 'Configuration reloaded.')
  } catch (failure) {
    const reason = errorText(failure)
    sendText(context, 500, `The new configuration is invalid; the running one is unchanged:\n${reason}`)
  }
}
