import { readFileSync } from 'node:fs'
import Koa, { type Context, type Next } from 'koa'
import type { Audit } from '../../administration/audit.ts'
import { CONTENT_TYPES, writeError } from '../../administration/documents.ts'
import { fromApiError, Refused, refused, UNKNOWN_OUTCOME_CODE } from '../../administration/errors.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { Log } from '../../log.ts'
import { INVISIBLE } from '../../text.ts'
import { clientAddress } from '../auth/addresses.ts'
import type { OriginRules } from '../auth/origin.ts'
import { rawPath } from '../auth/request_check.ts'
import { logFailure } from '../listener/failure_log.ts'
import { OPEN_PATHS } from '../metrics/metrics_app.ts'
import { createDocument, PAGE_HEADERS } from '../page/document.ts'
import { html, trusted } from '../page/html.ts'
import { sendText } from '../page/send_text.ts'
import { Router } from '../router.ts'
import { countRefusals, isDeletion, serveDelete, serveList } from './provider_routes.ts'
import { createRateLimits, type RateLimits } from './rate_limits.ts'
import { checkOrigin, formatOf, readRequestBody } from './request.ts'
import { serveAccount, serveLogin, serveLogout } from './session_routes.ts'
import type { AdminSystems } from './systems.ts'

export interface AdminAppOptions {
  readonly systems: AdminSystems
  readonly audit: Audit
  readonly origin: OriginRules
  readonly ready: () => boolean
  readonly log: Log
  readonly rateLimits?: RateLimits
}

/** The application for provider administration: page, login, list and deletion, with the token of the caller. */
export function createAdminApp(options: AdminAppOptions): Koa {
  const { origin, log } = options
  const app = new Koa()
  app.on('error', (failure: unknown) => logFailure(log, 'request failed', failure))
  app.use((context, next) => {
    context.set(RESPONSE_HEADERS)
    return next()
  })
  app.use((context, next) => writeErrors(context, next, log))
  app.use((context, next) => serveHealth(context, next, options.ready))
  const routes = { rateLimits: createRateLimits(), ...options }
  app.use((context, next) => (isDeletion(context) ? countRefusals(context, routes.audit, next) : next()))
  app.use(async (context, next) => {
    routes.rateLimits.admit(clientAddress(context.req.socket))
    checkTarget(context)
    checkOrigin(context.req, origin)
    context.state['body'] = await readRequestBody(context.req)
    await next()
  })
  app.use(createRouter(routes).routes())
  app.use(refuseUnrouted)
  return app
}

const PROVIDERS = ['/vdc/admin/authnproviders', '/systems/:system/vdc/admin/authnproviders']

type Routes = AdminAppOptions & { readonly rateLimits: RateLimits }

const pageFile = (name: string) => new URL(`page/${name}`, import.meta.url)

function createRouter(routes: Routes): Router {
  const document = createDocument({ script: pageFile('script.js') })
  const page = document.render({
    title: 'Authentication providers – sds-exporter',
    attributes: html` data-unknown-outcome-code="${UNKNOWN_OUTCOME_CODE}" data-invisible="${trusted(INVISIBLE)}"`,
    body: trusted(readFileSync(pageFile('page.html'), 'utf8').trim()),
  })
  const router = new Router({ strict: true, sensitive: true })
  router.get('/', (context) => {
    document.setHeaders(context)
    context.body = page
  })
  router.get('/systems', (context) => {
    context.body = JSON.stringify({ systems: routes.systems.names() })
    context.set('Content-Type', CONTENT_TYPES.json)
  })
  router.post('/systems/:system/login', (context) =>
    serveLogin(context, routes, context.state['body'] as Buffer),
  )
  router.post('/systems/:system/logout', (context) => serveLogout(context, routes))
  router.get('/systems/:system/account', (context) => serveAccount(context, routes))
  for (const path of PROVIDERS) {
    router.get([`${path}.json`, path], (context) => serveList(context, routes))
    // The parameter includes the suffix `.json`; provider_routes.ts removes it.
    router.delete(`${path}/:id`, (context) => serveDelete(context, routes))
  }
  return router
}

/** For every response, errors included. */
const RESPONSE_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

const INTERNAL_ERROR = 'administration request failed with an internal error, please report it'

async function writeErrors(context: Context, next: Next, log: Log): Promise<void> {
  try {
    await next()
  } catch (failure) {
    const refusal = failure instanceof ApiError ? fromApiError(failure) : failure
    if (!(refusal instanceof Refused)) {
      logFailure(log, INTERNAL_ERROR, failure, { path: rawPath(context.req) })
    }
    sendError(
      context,
      refusal instanceof Refused ? refusal : refused('failed', 'See the log of the exporter'),
    )
  }
}

function sendError(context: Context, { status, body, headers }: Refused): void {
  const format = formatOf(context)
  context.status = status
  context.set(headers)
  context.body = writeError(body, format)
  context.set('Content-Type', CONTENT_TYPES[format])
}

/** Must run before all checks: health and readiness need no authentication. */
async function serveHealth(context: Context, next: Next, ready: () => boolean): Promise<void> {
  const path = OPEN_PATHS.find((open) => open === rawPath(context.req))
  if (path === undefined || !['GET', 'HEAD'].includes(context.method)) return next()
  if (path === '/-/healthy' || ready()) sendText(context, 200, 'sds-exporter is running.')
  else sendText(context, 503, 'Not every system has been polled yet.')
}

/** Koa ends the path at a fragment or an invalid character, which would shorten the id of a provider. */
function checkTarget({ req }: Context): void {
  if (!/^[!-~]+$/.test(req.url ?? '') || /[#\\]/.test(req.url ?? '')) {
    throw refused('badRequest', 'The path has characters that must be percent-encoded')
  }
}

function refuseUnrouted(context: Context): void {
  const matched: readonly { methods: readonly string[] }[] = context['matched'] ?? []
  if (matched.length === 0)
    throw refused('unknownPath', 'The page is at GET /, the list of systems at GET /systems')
  const methods = [...new Set([...matched.flatMap(({ methods }) => methods), 'OPTIONS'])].sort()
  const Allow = methods.join(', ')
  if (context.method !== 'OPTIONS') throw refused('wrongMethod', `Supported methods: ${Allow}`, { Allow })
  context.status = 204
  context.set('Allow', Allow)
}
