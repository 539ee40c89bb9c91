import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import type { Context } from 'koa'
import { CONTENT_TYPES, writeError } from '../../administration/documents.ts'
import { fromApiError, refused, statusOf, UNKNOWN_OUTCOME_CODE } from '../../administration/errors.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { readUpTo } from '../../api/http/transport.ts'
import type { Log } from '../../log.ts'
import { INVISIBLE } from '../../text.ts'
import { createApp, errorOf, type Handler, healthHandlers, sendError, withHandlers } from '../app.ts'
import { clientAddress, hasExpectedHost, isCrossSite, type OriginRules } from '../auth/request_check.ts'
import { createDocument, PAGE_HEADERS } from '../page/document.ts'
import { html, trusted } from '../page/html.ts'
import { listenerLink } from '../page/listener_link.ts'
import { ADMIN_PATHS } from '../paths.ts'
import { createRateLimits, type RateLimits } from './rate_limits.ts'
import {
  formatOf,
  isUnauditedDeletion,
  type SystemRoutes,
  serveAccount,
  serveDelete,
  serveList,
  serveLogin,
  serveLogout,
} from './routes.ts'

export interface AdminAppOptions extends Omit<SystemRoutes, 'rateLimits'> {
  readonly origin: OriginRules
  readonly ready: () => boolean
  /** The status page; undefined if its address is not known. */
  readonly statusUrl: () => string | undefined
  readonly log: Log
  readonly rateLimits?: RateLimits
}

/** The application for provider administration: page, login, list and deletion, with the token of the caller. */
export function createAdminApp(options: AdminAppOptions): RequestListener {
  const { origin, log, ready, statusUrl } = options
  const routes = { rateLimits: createRateLimits(), ...options }
  return createApp({
    paths: withHandlers(ADMIN_PATHS, { ...createHandlers(routes, statusUrl), ...healthHandlers(ready) }),
    headers: RESPONSE_HEADERS,
    guard: async ({ req, state }) => {
      routes.rateLimits.admit(clientAddress(req.socket))
      // Koa ends the path at a fragment or an invalid character, which would shorten the id of a provider.
      if (!/^[!"$-[\]-~]+$/.test(req.url ?? ''))
        throw refused('badRequest', 'The path has characters that must be percent-encoded')
      // Protects against DNS rebinding and against cross-site requests.
      if (!hasExpectedHost(req, origin))
        throw refused('foreignHost', 'To allow this name, start the exporter with --admin.allowed-hosts=NAME')
      if (isCrossSite(req, origin))
        throw refused('foreignOrigin', 'Browsers may send this request only from the page of this exporter')
      state['body'] = await readRequestBody(req)
    },
    unknownPath: refused('unknownPath', 'The page is at GET /, the list of systems at GET /systems'),
    wrongMethod: (text, headers) => refused('wrongMethod', text, headers),
    send: (context, failure) => {
      if (isUnauditedDeletion(context))
        routes.audit.countRefusal({ address: clientAddress(context.req.socket), status: statusOf(failure) })
      answer(context, failure, log)
    },
    log,
  })
}

/** For every response, errors included. */
const RESPONSE_HEADERS = {
  ...PAGE_HEADERS,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Only the login has a body, and it is short. */
const MAX_BODY_BYTES = 4096

/** @throws {HttpError} 413 if the body is longer than 4096 bytes; the connection is then closed */
async function readRequestBody(request: Context['req']): Promise<Buffer> {
  const tooLarge = () => refused('tooLarge', `The limit is ${MAX_BODY_BYTES} bytes`, { Connection: 'close' })
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  // The error is sent on the same connection.
  const { bytes, whole } = await readUpTo(request.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES)
  if (!whole) throw tooLarge()
  return bytes
}

/** In the format of the storage system. */
function answer(context: Context, failure: unknown, log: Log): void {
  const known = failure instanceof ApiError ? fromApiError(failure) : failure
  const error = errorOf(known, context.req, log, refused('failed', 'See the log of the exporter'))
  const format = formatOf(context)
  // Errors of health have no body of the API.
  const content = error.body && { type: CONTENT_TYPES[format], text: writeError(error.body, format) }
  sendError(context.res, error, content)
}

function createHandlers(routes: SystemRoutes, statusUrl: AdminAppOptions['statusUrl']) {
  const list: Handler = (context) => serveList(context, routes)
  const deletion: Handler = (context) => serveDelete(context, routes)
  return {
    '/': createPage(statusUrl),
    '/systems': (context: Context) => {
      context.body = JSON.stringify({ systems: routes.systems.names() })
    },
    '/systems/:system/login': (context: Context) => serveLogin(context, routes),
    '/systems/:system/logout': (context: Context) => serveLogout(context, routes),
    '/systems/:system/account': (context: Context) => serveAccount(context, routes),
    '/systems/:system/vdc/admin/authnproviders': list,
    '/systems/:system/vdc/admin/authnproviders.json': list,
    '/systems/:system/vdc/admin/authnproviders/:id': deletion,
    '/vdc/admin/authnproviders': list,
    '/vdc/admin/authnproviders.json': list,
    '/vdc/admin/authnproviders/:id': deletion,
  }
}

const pageFile = (name: string) => new URL(`page/${name}`, import.meta.url)

function createPage(statusUrl: AdminAppOptions['statusUrl']): Handler {
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
