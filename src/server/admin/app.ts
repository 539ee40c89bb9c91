import { readFileSync } from 'node:fs'
import type Koa from 'koa'
import type { Context, Next } from 'koa'
import type { Audit } from '../../administration/audit.ts'
import { CONTENT_TYPES, writeError } from '../../administration/documents.ts'
import { fromApiError, refused, UNKNOWN_OUTCOME_CODE } from '../../administration/errors.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { Log } from '../../log.ts'
import { INVISIBLE } from '../../text.ts'
import { answerOtherMethod, createApp, errorOf, healthHandlers, sendError } from '../app.ts'
import type { OriginRules } from '../auth/origin.ts'
import { clientAddress, rawPath } from '../auth/request_check.ts'
import { createDocument, PAGE_HEADERS } from '../page/document.ts'
import { html, trusted } from '../page/html.ts'
import { listenerLink } from '../page/listener_link.ts'
import { ADMIN_PATHS, methodsOf, OPEN_PATHS } from '../paths.ts'
import { createRateLimits, type RateLimits } from './rate_limits.ts'
import { checkOrigin, formatOf, readRequestBody, routeOf } from './request.ts'
import {
  countRefusals,
  isDeletion,
  serveAccount,
  serveDelete,
  serveList,
  serveLogin,
  serveLogout,
} from './routes.ts'
import type { AdminSystems } from './systems.ts'

export interface AdminAppOptions {
  readonly systems: AdminSystems
  readonly audit: Audit
  readonly origin: OriginRules
  readonly ready: () => boolean
  /** The status page; undefined if its address is not known. */
  readonly statusUrl: () => string | undefined
  readonly log: Log
  readonly rateLimits?: RateLimits
}

/** The application for provider administration: page, login, list and deletion, with the token of the caller. */
export function createAdminApp(options: AdminAppOptions): Koa {
  const { origin, log } = options
  const app = createApp(log, (context, failure) => answer(context, failure, log))
  app.use((context, next) => {
    context.set(RESPONSE_HEADERS)
    return next()
  })
  app.use(serveHealth(options.ready))
  const routes = { rateLimits: createRateLimits(), ...options }
  app.use((context, next) => (isDeletion(context) ? countRefusals(context, routes.audit, next) : next()))
  app.use(async (context, next) => {
    routes.rateLimits.admit(clientAddress(context.req.socket))
    checkTarget(context)
    checkOrigin(context.req, origin)
    context.state['body'] = await readRequestBody(context.req)
    await next()
  })
  const handlers = createHandlers(routes)
  app.use((context) => serve(context, handlers))
  return app
}

type Routes = AdminAppOptions & { readonly rateLimits: RateLimits }
type Handler = (context: Context) => void | Promise<void>
type Handlers = Readonly<Record<keyof typeof ADMIN_PATHS, Handler>>

const pageFile = (name: string) => new URL(`page/${name}`, import.meta.url)

function createHandlers(routes: Routes): Handlers {
  const list: Handler = (context) => serveList(context, routes)
  const deletion: Handler = (context) => serveDelete(context, routes)
  return {
    '/': createPage(routes),
    '/systems': (context) => {
      context.body = JSON.stringify({ systems: routes.systems.names() })
      context.set('Content-Type', CONTENT_TYPES.json)
    },
    '/systems/:system/login': (context) => serveLogin(context, routes, context.state['body'] as Buffer),
    '/systems/:system/logout': (context) => serveLogout(context, routes),
    '/systems/:system/account': (context) => serveAccount(context, routes),
    '/systems/:system/vdc/admin/authnproviders': list,
    '/systems/:system/vdc/admin/authnproviders.json': list,
    '/systems/:system/vdc/admin/authnproviders/:id': deletion,
    '/vdc/admin/authnproviders': list,
    '/vdc/admin/authnproviders.json': list,
    '/vdc/admin/authnproviders/:id': deletion,
    ...healthHandlers(routes.ready),
  }
}

function createPage({ statusUrl }: Routes): Handler {
  const document = createDocument({ script: pageFile('script.js') })
  const content = trusted(readFileSync(pageFile('page.html'), 'utf8').trim())
  return (context) => {
    const url = statusUrl()
    const status = url === undefined ? 'sds-exporter' : listenerLink(context, url, 'Status page')
    context.set(document.headers)
    context.body = document.render({
      title: 'Authentication providers – sds-exporter',
      attributes: html` data-unknown-outcome-code="${UNKNOWN_OUTCOME_CODE}" data-invisible="${trusted(INVISIBLE)}"`,
      body: html`<main>\n<nav class="quiet" aria-label="Breadcrumb">${status} / Administration</nav>\n${content}\n</main>`,
    })
  }
}

/** For every response, errors included. */
const RESPONSE_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** In the format of the storage system; of health as text. */
function answer(context: Context, failure: unknown, log: Log): void {
  const known = failure instanceof ApiError ? fromApiError(failure) : failure
  const error = errorOf(known, context.req, log, refused('failed', 'See the log of the exporter'))
  const format = formatOf(context)
  const content = error.body && { type: CONTENT_TYPES[format], text: writeError(error.body, format) }
  sendError(context.res, error, content)
}

/** Must run before all checks: health and readiness need no authentication. */
function serveHealth(ready: () => boolean) {
  const handlers = healthHandlers(ready)
  return (context: Context, next: Next): unknown => {
    const path = OPEN_PATHS.find((open) => open === rawPath(context.req))
    if (path === undefined || !methodsOf(ADMIN_PATHS[path]).includes(context.method)) return next()
    return handlers[path](context)
  }
}

/** Koa ends the path at a fragment or an invalid character, which would shorten the id of a provider. */
function checkTarget({ req }: Context): void {
  if (!/^[!-~]+$/.test(req.url ?? '') || /[#\\]/.test(req.url ?? '')) {
    throw refused('badRequest', 'The path has characters that must be percent-encoded')
  }
}

async function serve(context: Context, handlers: Handlers): Promise<void> {
  const route = routeOf(context)
  if (route === undefined)
    throw refused('unknownPath', 'The page is at GET /, the list of systems at GET /systems')
  const methods = methodsOf(route.row)
  if (methods.includes(context.method)) return handlers[route.name](context)
  answerOtherMethod(context, methods, (text, headers) => refused('wrongMethod', text, headers))
}
