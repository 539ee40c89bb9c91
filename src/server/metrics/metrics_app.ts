import type { RequestListener } from 'node:http'
import { createGunzip } from 'node:zlib'
import type { Context } from 'koa'
import { suggestion } from '../../config/values/unknown_keys.ts'
import type { Log } from '../../log.ts'
import type { Exposition, FamilySeries } from '../../metrics/exposition.ts'
import { FAMILIES } from '../../metrics/families.ts'
import { END, type Format } from '../../metrics/lines.ts'
import { type OwnMetrics, renderFamilies } from '../../metrics/own.ts'
import { BoundedMap, oncePerKey } from '../../values/cache.ts'
import { errorText } from '../../values/errors.ts'
import { HttpError } from '../../values/http_error.ts'
import { createApp, errorOf, type Handler, healthHandlers, sendError, withHandlers } from '../app.ts'
import { hasExpectedHost, isCrossSite, type OriginRules } from '../auth/request_check.ts'
import { DEFAULT_METRICS_PATH, METRICS_PATHS, type PathRow } from '../paths.ts'
import { createResponseSlots, DEFAULT_MAX_REQUESTS, type ResponseSlots } from '../response_slots.ts'
import { createRunbooks } from '../runbooks/runbooks.ts'
import { createStatusApp, type StatusAppOptions } from '../status/status_app.ts'
import { createProbe, type ProbeSources } from './probe.ts'
import {
  acceptsGzip,
  createSendBody,
  createSendExposition,
  PIECE_BYTES,
  type SendBody,
  type SendExposition,
} from './send_exposition.ts'
import { badRequest, createServiceDiscovery, readTarget } from './targets.ts'

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

interface HistoryOptions extends Pick<ProbeSources, 'systems' | 'history'> {
  readonly slots: ResponseSlots
  readonly sendBody: SendBody
}

const DISABLED = new HttpError(404, 'The history is disabled: set history.enabled in the configuration.')
const PARAMETERS = { system: 'a name in the configuration' } as const

/** Handles `GET /history?system=NAME`: the last samples of a configured system, from memory, in the text format. */
export function createHistory(options: HistoryOptions): (context: Context) => Promise<void> {
  const { systems, history, slots, sendBody } = options
  return async (context) => {
    const { system } = readTarget(context.querystring, systems(), PARAMETERS)
    const document = history(system)
    if (document === undefined) throw DISABLED
    const slot = slots.take(context.res, { group: `history ${system}`, exposition: document })
    const isGzip = acceptsGzip(context.get('Accept-Encoding'))
    const { gzip, bytes } = await document.packed()
    if (context.res.destroyed) return
    if (isGzip) await sendBody(context, slot, { format: 'text', isGzip, bytes: gzip.length, chunks: [gzip] })
    else await sendBody(context, slot, { format: 'text', isGzip, bytes, chunks: unpacked(gzip) })
  }
}

/** Decompresses as fast as the client reads. */
function unpacked(gzip: Buffer): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize: PIECE_BYTES })
  gunzip.end(gzip)
  return gunzip
}

interface ScrapeSources {
  readonly exposition: () => Exposition
  readonly own: OwnMetrics
}

/**
 * Handles `GET /metrics`: the prepared exposition, followed by the exporter's own metrics. The exposition is rendered and
 * compressed after a poll; only the exporter's own metrics are rendered for a scrape. With `collect[]=NAME`, the families
 * with these names, rendered for the scrape.
 */
function createScrape(
  { exposition, own }: ScrapeSources,
  sendExposition: SendExposition,
): (context: Context) => Promise<void> {
  const tailOf = createTails(own)
  return async (context) => {
    if (context.querystring === '')
      return sendExposition(context, { group: 'metrics', exposition: exposition(), tailOf })
    const families = await own.families()
    const names = readNames(context.querystring, families)
    const selected = exposition().only(names)
    const chosen = families.filter(({ family }) => names.has(family.name))
    const tailOfNames = (format: Format) => Buffer.from(`${renderFamilies(chosen, format)}${END[format]}`)
    const group = `metrics ${[...names].sort().join()}`
    await sendExposition(context, { group, exposition: selected, tailOf: tailOfNames })
  }
}

/** The exporter's own metrics at the end of the exposition. With the same text, scrapes have the same tail. */
function createTails(own: OwnMetrics): (format: Format) => Promise<Buffer> {
  const tailOf = oncePerKey((format: Format) =>
    oncePerKey((text: string) => Buffer.from(`${text}${END[format]}`), new BoundedMap(1)),
  )
  return async (format) => tailOf(format)(await own.render(format))
}

const PARAMETER = 'collect[]'

/** The selected names. @throws {HttpError} 400 */
function readNames(query: string, own: readonly Pick<FamilySeries, 'family'>[]): ReadonlySet<string> {
  const parameters = new URLSearchParams(query)
  const other = [...parameters.keys()].find((name) => name !== PARAMETER)
  if (other !== undefined)
    throw badRequest(
      `unknown parameter '${other}'; the parameter is ${PARAMETER}, the name of a metric, and may be repeated`,
    )
  const names = new Set(parameters.getAll(PARAMETER))
  const known = new Set([...FAMILIES, ...own.map(({ family }) => family)].map(({ name }) => name))
  const unknown = [...names].find((name) => !known.has(name))
  if (unknown === undefined) return names
  const meant = suggestion(unknown, [...known])
  throw badRequest(
    `${PARAMETER}: no metric '${unknown}'${meant === undefined ? '' : `; did you mean ${meant}?`}`,
  )
}
