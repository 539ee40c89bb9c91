import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Log } from '../../log.ts'
import { HttpError } from '../../values/http_error.ts'
import {
  explainListenError,
  type ListenAddress,
  ListenError,
  parseListenAddress,
  urlHost,
} from '../../values/listen_address.ts'
import { createServer } from '../../values/node_http.ts'
import { errorOf, sendError } from '../app.ts'
import { type BasicAuth, createBasicAuth } from '../auth/basic_auth.ts'
import { type AcceptedRequests, checkRequest, clientAddress, rawPath } from '../auth/request_check.ts'
import { OPEN_PATHS } from '../paths.ts'
import { type Connections, limitConnections } from './abuse/connections.ts'
import { DEFAULT_LIMITS, type ServerLimits } from './abuse/limits.ts'
import { createRequestQueue, prepareResponse } from './abuse/responses.ts'
import { createTlsServer, type TlsServer } from './tls_server.ts'
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
  let starting: Promise<Opened> | undefined
  let opened: Opened | undefined
  return {
    /** Scheme, host and bound port, once started: `http://127.0.0.1:9438`. */
    get url(): string {
      if (opened === undefined) throw new ListenError(`the listener on '${options.address}' is not started`)
      return opened.url
    },
    /**
     * @throws {ConfigError} with all problems of the web configuration file
     * @throws {ListenError} when the address cannot be bound
     */
    async start(): Promise<void> {
      starting ??= open(address, options)
      opened = await starting
    },
    /** Lets running responses finish within stopGraceMs. Idempotent. */
    async stop(): Promise<void> {
      // A pending start would otherwise open the port after the stop.
      const last = await starting?.catch(() => undefined)
      await last?.stop()
    },
  }
}

type Opened = Awaited<ReturnType<typeof open>>

async function open(address: ListenAddress, options: ListenerOptions) {
  const { webConfigFile: path, acceptsBodies = true, log } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const now = () => performance.now()
  const web = openWebConfig(path, limits.webFileCheckMs, log, now)
  const { server, check, scheme } = createWebServer(web, limits)
  const event: ConnectionEvent = scheme === 'https' ? 'secureConnection' : 'connection'
  const stopping = new AbortController()
  const auth = createBasicAuth({ log, now, signal: stopping.signal })
  const accepted = { urlBytes: limits.urlBytes, acceptsBodies }
  const gate = createGate(web, auth, check, accepted)
  const connections = limitServer(server, event, limits, log)
  const drain = createDrain(server, connections, limits)
  const serve: RequestListener = async (request, response) => {
    try {
      const refused = await gate(request, response)
      if (response.destroyed) return
      if (refused === undefined) return await options.handler(request, response)
      sendError(response, refused)
    } catch (failure) {
      sendError(response, errorOf(failure, request, log))
    }
  }
  const queue = createRequestQueue(serve, isOpen)
  server.maxRequestsPerSocket = limits.requestsPerConnection
  server.on('request', (request, response) => {
    drain.track(response)
    prepareResponse(response, { headers: web().file.headers, limits, connections })
    queue(request, response)
  })
  try {
    server.listen({ ...address, backlog: limits.backlog })
    await once(server, 'listening')
  } catch (cause) {
    throw explainListenError(options.address, cause, options.flag)
  }
  return {
    url: urlOf(server, scheme, address.host),
    stop() {
      stopping.abort()
      return drain.end()
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
  if (tls === undefined) return { server: createServer(options), scheme: 'http', check: undefined } as const
  return { ...createTlsServer(web, tls, options, limits.headersTimeoutMs), scheme: 'https' } as const
}

/** Limits the log lines about closed connections. */
const LIMIT_WARNING_MS = 60_000

type ConnectionEvent = 'connection' | 'secureConnection'

function limitServer(server: Server, event: ConnectionEvent, limits: ServerLimits, log: Log): Connections {
  let warnedAt = -Infinity
  const connections = limitConnections(server, event, limits.connections, () => {
    if (performance.now() - warnedAt < LIMIT_WARNING_MS) return
    warnedAt = performance.now()
    log.warn('connection limit reached, connections without progress are closed', {
      limit: limits.connections,
    })
  })
  server.setTimeout(limits.stallTimeoutMs, connections.reset)
  return connections
}

function urlOf(server: Server, scheme: string, host: string | undefined): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new TypeError('a server that listens has an address')
  return `${scheme}://${urlHost(host ?? bound.address)}:${bound.port}`
}

const INVALID_CONFIG = new HttpError(500, 'internal server error', { Connection: 'close' })

/**
 * Resolves to the error of a request that may not reach its handler. Checked in this order: form, open paths, validity of
 * the web configuration, certificate, user.
 * @param checkConnection undefined for plain HTTP
 */
function createGate(
  web: WebConfig,
  auth: BasicAuth,
  checkConnection: TlsServer['check'] | undefined,
  accepted: AcceptedRequests,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<HttpError | undefined> => {
    const malformed = checkRequest(request, accepted)
    if (malformed !== undefined) return malformed
    const { file, isInvalid } = web()
    if (isOpen(request)) return undefined
    if (isInvalid) return INVALID_CONFIG
    const untrusted = file.tls && checkConnection?.(request, response, file.tls)
    if (untrusted !== undefined) return untrusted
    if (file.users.size === 0) return undefined
    return auth.check(request.headers.authorization, clientAddress(request.socket), file.users)
  }
}

/** Whether the path is served without authentication; it is compared exactly as sent. */
const isOpen = (request: IncomingMessage): boolean => OPEN_PATHS.some((path) => path === rawPath(request))

/** Stops a server without cutting off responses and without waiting for idle connections. */
function createDrain(server: Server, connections: Connections, limits: ServerLimits) {
  const running = new Set<ServerResponse>()
  let ending: Promise<void> | undefined
  const destroyAll = () => {
    for (const socket of connections.sockets()) socket.destroy()
  }
  const sweep = () => {
    server.closeIdleConnections()
    // The remaining connections have not sent a complete request or are in the TLS handshake.
    if (running.size === 0) destroyAll()
  }
  const endServer = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    // A connection that is busy when the server closes becomes idle afterwards and would keep the server open.
    const sweeper = setInterval(sweep, limits.idleSweepMs)
    const grace = setTimeout(destroyAll, limits.stopGraceMs)
    sweep()
    await closed
    clearInterval(sweeper)
    clearTimeout(grace)
  }
  return {
    /** Counts a response as running until it is sent or its connection is closed. */
    track(response: ServerResponse): void {
      running.add(response)
      response.once('close', () => running.delete(response))
    },
    /** Stops accepting, lets running responses finish within the grace period, then closes every connection. */
    end(): Promise<void> {
      ending ??= endServer()
      return ending
    },
  }
}
