import type { RequestListener } from 'node:http'
import type { Context } from 'koa'
import type { Log } from '../../log.ts'
import { errorText } from '../../values/errors.ts'
import { HttpError } from '../../values/http_error.ts'
import { answerOtherMethod, createApp, errorOf, healthHandlers, sendError } from '../app.ts'
import { hasExpectedHost, isCrossSite, type OriginRules } from '../auth/origin.ts'
import { rawPath } from '../auth/request_check.ts'
import { PAGE_HEADERS } from '../page/document.ts'
import { DEFAULT_METRICS_PATH, METRICS_PATHS, methodsOf, type PathRow } from '../paths.ts'
import { createResponseSlots, DEFAULT_MAX_REQUESTS } from '../response_slots.ts'
import { createRunbooks } from '../runbooks/runbooks.ts'
import { createStatusApp, type StatusAppOptions } from '../status/status_app.ts'
import { createHistory } from './history.ts'
import { createProbe, type ProbeSources } from './probe.ts'
import { createScrape, createSelectedScrape, type ScrapeSources } from './scrape.ts'
import { createSendBody, createSendExposition } from './send_exposition.ts'
import { createServiceDiscovery } from './targets.ts'

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
  readonly status: Omit<StatusAppOptions, 'slots' | 'ready' | 'metricsPath'>
  /** The path of the metrics. Default: `/metrics`. */
  readonly metricsPath?: string | undefined
  readonly origin: OriginRules
  readonly log: Log
}

type Handlers = Readonly<Record<keyof typeof METRICS_PATHS, (context: Context) => void | Promise<void>>>

type LimitedPath = {
  [Name in keyof typeof METRICS_PATHS]: (typeof METRICS_PATHS)[Name] extends { limit: string } ? Name : never
}[keyof typeof METRICS_PATHS]

/** The application for metrics: the paths of {@link METRICS_PATHS}, matched exactly as they are sent. */
export function createMetricsApp(options: MetricsAppOptions): RequestListener {
  const { origin, log, metricsPath = DEFAULT_METRICS_PATH } = options
  const handlers = createHandlers(options)
  const names = Object.keys(METRICS_PATHS) as (keyof typeof METRICS_PATHS)[]
  // Metrics at / replace the page.
  const paths = new Map(names.map((name) => [name === DEFAULT_METRICS_PATH ? metricsPath : name, name]))
  if (metricsPath === '/') paths.set('/', DEFAULT_METRICS_PATH)
  const unknownPath = new HttpError(
    404,
    `Nothing is served at this path. Paths: ${[...paths.keys()].join(', ')}`,
  )
  const app = createApp(log, ({ req, res }, failure) => sendError(res, errorOf(failure, req, log)))
  app.use((context) => {
    const name = paths.get(rawPath(context.req))
    const row: PathRow | undefined = name && METRICS_PATHS[name]
    // Protects against DNS rebinding.
    if (row?.isOpen !== true && !hasExpectedHost(context.req, origin)) throw UNKNOWN_HOST
    if (name === undefined || row === undefined) throw unknownPath
    const methods = methodsOf(row)
    if (!methods.includes(context.method)) return answerOtherMethod(context, methods, wrongMethod)
    if (row.method !== 'GET' && isCrossSite(context.req, origin)) throw CROSS_SITE
    context.set(CONTENT_HEADERS[row.content])
    return handlers[name](context)
  })
  return app.callback()
}

const UNKNOWN_HOST = new HttpError(
  421,
  'Unknown host name. To allow it, start the exporter with --web.allowed-hosts=NAME',
)
const CROSS_SITE = new HttpError(403, 'Cross-site request refused.')

const wrongMethod = (text: string, headers: Readonly<Record<string, string>>) =>
  new HttpError(405, text, headers)

const CONTENT_HEADERS = {
  // Set with the format that the client accepts.
  metrics: {},
  'API format': {},
  text: { 'Content-Type': 'text/plain; charset=utf-8' },
  json: { ...PAGE_HEADERS, 'Content-Type': 'application/json; charset=utf-8' },
  page: { ...PAGE_HEADERS, 'Content-Type': 'text/html; charset=utf-8' },
} as const satisfies Record<PathRow['content'], Readonly<Record<string, string>>>

function createHandlers(options: MetricsAppOptions): Handlers {
  const { probes, maxRequests = DEFAULT_MAX_REQUESTS, now = () => performance.now(), ready, reload } = options
  // Pages do not hinder scrapes.
  const slots = {
    scrapes: createResponseSlots(maxRequests, now),
    pages: createResponseSlots(maxRequests, now),
  } as const satisfies Record<NonNullable<PathRow['limit']>, unknown>
  const slotsOf = (path: LimitedPath) => slots[METRICS_PATHS[path].limit]
  const sendBody = createSendBody()
  const sendExposition = createSendExposition(slotsOf('/metrics'), sendBody)
  const scrape = createScrape(options, sendExposition)
  const selected = createSelectedScrape(options, sendExposition)
  const { metricsPath = DEFAULT_METRICS_PATH } = options
  const status = createStatusApp({ ...options.status, ready, metricsPath, slots: slotsOf('/') })
  return {
    '/metrics': (context) => (context.querystring === '' ? scrape(context) : selected(context)),
    '/probe': createProbe({ ...probes, sendExposition, slots: slotsOf('/probe') }),
    '/history': createHistory({ ...probes, slots: slotsOf('/history'), sendBody }),
    '/sd': createServiceDiscovery(probes, slotsOf('/sd')),
    '/': status.page,
    '/api/v1/status': status.document,
    '/runbooks': createRunbooks(),
    ...healthHandlers(ready),
    '/-/reload': (context) => serveReload(context, reload),
  }
}

async function serveReload(context: Context, reload: (() => Promise<void>) | undefined): Promise<void> {
  if (reload === undefined)
    throw new HttpError(
      403,
      'Reload over HTTP is disabled: start with --web.enable-lifecycle, or send SIGHUP.',
    )
  try {
    await reload()
  } catch (failure) {
    const reason = errorText(failure)
    throw new HttpError(500, `The new configuration is invalid; the running one is unchanged:\n${reason}`)
  }
  context.body = 'Configuration reloaded.\n'
}
