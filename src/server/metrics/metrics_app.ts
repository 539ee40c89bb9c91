import type { RequestListener } from 'node:http'
import type { Context } from 'koa'
import type { Log } from '../../log.ts'
import { errorText } from '../../values/errors.ts'
import { HttpError } from '../../values/http_error.ts'
import { createApp, errorOf, type Handler, healthHandlers, sendError, withHandlers } from '../app.ts'
import { hasExpectedHost, isCrossSite, type OriginRules } from '../auth/request_check.ts'
import { DEFAULT_METRICS_PATH, METRICS_PATHS, type PathRow } from '../paths.ts'
import { createResponseSlots, DEFAULT_MAX_REQUESTS } from '../response_slots.ts'
import { createRunbooks } from '../runbooks/runbooks.ts'
import { createStatusApp, type StatusAppOptions } from '../status/status_app.ts'
import { createHistory } from './history.ts'
import { createProbe, type ProbeSources } from './probe.ts'
import { createScrape, type ScrapeSources } from './scrape.ts'
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

type LimitedPath = {
  [Name in keyof typeof METRICS_PATHS]: (typeof METRICS_PATHS)[Name] extends { limit: string } ? Name : never
}[keyof typeof METRICS_PATHS]

/** The application for metrics: the paths of {@link METRICS_PATHS}, matched exactly as they are sent. */
export function createMetricsApp(options: MetricsAppOptions): RequestListener {
  const { origin, log, metricsPath = DEFAULT_METRICS_PATH } = options
  const { '/metrics': metrics, ...others } = withHandlers(METRICS_PATHS, createHandlers(options))
  // Metrics at / replace the page.
  const paths = { [metricsPath]: metrics, ...others, [metricsPath]: metrics }
  const known = Object.keys(paths).join(', ')
  return createApp({
    paths,
    guard: ({ req }, row) => {
      // Protects against DNS rebinding.
      if (!hasExpectedHost(req, origin)) throw UNKNOWN_HOST
      if (row !== undefined && row.method !== 'GET' && isCrossSite(req, origin)) throw CROSS_SITE
    },
    unknownPath: new HttpError(404, `Nothing is served at this path. Paths: ${known}`),
    wrongMethod: (text, headers) => new HttpError(405, text, headers),
    send: ({ req, res }, failure) => sendError(res, errorOf(failure, req, log)),
    log,
  })
}

const UNKNOWN_HOST = new HttpError(
  421,
  'Unknown host name. To allow it, start the exporter with --web.allowed-hosts=NAME',
)
const CROSS_SITE = new HttpError(403, 'Cross-site request refused.')

function createHandlers(options: MetricsAppOptions): Record<keyof typeof METRICS_PATHS, Handler> {
  const { probes, maxRequests = DEFAULT_MAX_REQUESTS, now = () => performance.now(), ready, reload } = options
  // Pages do not hinder scrapes.
  const slots = {
    scrapes: createResponseSlots(maxRequests, now),
    pages: createResponseSlots(maxRequests, now),
  } as const satisfies Record<NonNullable<PathRow['limit']>, unknown>
  const slotsOf = (path: LimitedPath) => slots[METRICS_PATHS[path].limit]
  const sendBody = createSendBody()
  const sendExposition = createSendExposition(slotsOf('/metrics'), sendBody)
  const { metricsPath = DEFAULT_METRICS_PATH } = options
  const status = createStatusApp({ ...options.status, ready, metricsPath, slots: slotsOf('/') })
  return {
    '/metrics': createScrape(options, sendExposition),
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
