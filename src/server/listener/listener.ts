import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Log } from '../../log.ts'
import { HttpError } from '../../values/http_error.ts'
import {
  explainListenError,
  type ListenAddress,
  parseListenAddress,
  urlHost,
} from '../../values/listen_address.ts'
import { createServer } from '../../values/node_http.ts'
import { errorOf, sendError } from '../app.ts'
import { createBasicAuth } from '../auth/basic_auth.ts'
import { checkRequest, clientAddress, rawPath } from '../auth/request_check.ts'
import { OPEN_PATHS } from '../paths.ts'
import { type Connections, createRequestQueue, limitConnections, prepareResponse } from './connections.ts'
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts'
import { createTlsServer } from './tls_server.ts'
import { openWebConfig, type WebConfig } from './web_config.ts'

export interface ListenerOptions {
  /** In the form of `parseListenAddress`. */
  readonly address: string
  /** Sets the address, for messages. */
  readonly flag?: string
  /** Web configuration file of the Prometheus exporter-toolkit. Undefined: plain HTTP without authentication. */
  readonly webConfigFile?: string | undefined
  /** May be asynchronous. Errors are logged and answered with 500. */
  readonly handler: RequestListener
  /** Whether requests may have a body; otherwise one with a body is answered with 413. Default: true. */
  readonly acceptsBodies?: boolean
  readonly log: Log
  readonly limits?: Partial<ServerLimits>
}

export type Listener = ReturnType<typeof createListener>

/** Limits and web configuration apply before the handler. It can be started once. @throws {ListenError} */
export function createListener(options: ListenerOptions) {
  const address = parseListenAddress(options.address)
  let starting: ReturnType<typeof open> | undefined
  let url = ''
  return {
    /** Scheme, host and bound port: `http://127.0.0.1:9438`; empty before the start. */
    get url(): string {
      return url
    },
    /**
     * @throws {ConfigError} with all problems of the web configuration file
     * @throws {ListenError} when the address cannot be bound
     */
    async start(): Promise<void> {
      starting ??= open(address, options)
      url = (await starting).url
    },
    /** Lets running responses finish within stopGraceMs. Idempotent. */
    async stop(): Promise<void> {
      // A pending start would otherwise open the port after the stop.
      const opened = await starting?.catch(() => undefined)
      await opened?.stop()
    },
  }
}

const INVALID_CONFIG = new HttpError(500, 'internal server error', { Connection: 'close' })

async function open(address: ListenAddress, options: ListenerOptions) {
  const { acceptsBodies = true, log } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const now = () => performance.now()
  const web = openWebConfig(options.webConfigFile, limits.webFileCheckMs, log, now)
  const { server, checkTls } = createWebServer(web, limits)
  const stopping = new AbortController()
  const auth = createBasicAuth({ log, now, signal: stopping.signal })
  const connections = limitConnections(server, checkTls !== undefined, limits, log)

  /** The error of a request that may not reach its handler, by form, web configuration, certificate and user, in this order. */
  async function refusalOf(request: IncomingMessage, response: ServerResponse) {
    const malformed = checkRequest(request, { urlBytes: limits.urlBytes, acceptsBodies })
    if (malformed !== undefined || isOpen(request)) return malformed
    const { file, isInvalid } = web()
    if (isInvalid) return INVALID_CONFIG
    const untrusted = file.tls && checkTls?.(response, connections.accepted(request.socket), file.tls)
    if (untrusted !== undefined || file.users.size === 0) return untrusted
    return auth.check(request.headers.authorization, clientAddress(request.socket), file.users)
  }
  const queue = createRequestQueue(async (request, response) => {
    try {
      const refusal = await refusalOf(request, response)
      if (refusal !== undefined) throw refusal
      if (!response.destroyed) await options.handler(request, response)
    } catch (failure) {
      sendError(response, errorOf(failure, request, log))
    }
  }, isOpen)
  /** Until they are sent, or their connection is closed. */
  const running = new Set<ServerResponse>()
  server.maxRequestsPerSocket = limits.requestsPerConnection
  server.on('request', (request, response) => {
    running.add(response)
    response.once('close', () => running.delete(response))
    prepareResponse(response, web().file.headers, limits, connections)
    queue(request, response)
  })
  try {
    server.listen({ ...address, backlog: limits.backlog })
    await once(server, 'listening')
  } catch (cause) {
    throw explainListenError(options.address, cause, options.flag)
  }
  let ending: Promise<void> | undefined
  return {
    url: urlOf(server, checkTls === undefined ? 'http' : 'https', address.host),
    stop(): Promise<void> {
      stopping.abort()
      ending ??= endServer(server, connections, running, limits)
      return ending
    },
  }
}

function createWebServer(web: WebConfig, limits: ServerLimits) {
  const options: ServerOptions = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    // Refused by checkRequest with a text.
    requireHostHeader: false,
  }
  const { tls } = web().file
  return tls === undefined
    ? { server: createServer(options), checkTls: undefined }
    : createTlsServer(web, tls, options, limits.headersTimeoutMs)
}

function urlOf(server: Server, scheme: string, host: string | undefined): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('a server that listens has an address')
  return `${scheme}://${urlHost(host ?? bound.address)}:${bound.port}`
}

/** Whether the path is served without authentication; it is compared exactly as sent. */
const isOpen = (request: IncomingMessage): boolean => OPEN_PATHS.some((path) => path === rawPath(request))

/** Stops accepting, lets running responses finish within the grace period, then closes every connection. */
async function endServer(
  server: Server,
  connections: Connections,
  running: ReadonlySet<ServerResponse>,
  limits: ServerLimits,
): Promise<void> {
  const destroyAll = () => {
    for (const socket of connections.sockets()) socket.destroy()
  }
  const sweep = () => {
    server.closeIdleConnections()
    // The remaining connections have not sent a complete request or are in the TLS handshake.
    if (running.size === 0) destroyAll()
  }
  const closed = once(server, 'close')
  server.close()
  // A connection that is busy when the server closes becomes idle afterwards and would keep the server open.
  const sweeper = setInterval(sweep, limits.idleSweepMs)
  const grace = setTimeout(destroyAll, limits.stopGraceMs)
  sweep()
  await closed
  clearInterval(sweeper)
  clearTimeout(grace)
}
