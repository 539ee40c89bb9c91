import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '../log.ts'
import { createDrain } from './drain.ts'
import { DEFAULT_LIMITS, type ServerLimits } from './limits.ts'
import { explainListenError, type ListenAddress, ListenError, parseListenAddress } from './listen_address.ts'
import { refuse } from './refusal.ts'
import { checkRequest } from './request_check.ts'

export interface ListenerOptions {
  /** `:9438`, `127.0.0.1:0`, `[::1]:9439`, `localhost:9438` */
  readonly address: string
  /** The web configuration file of Prometheus' exporter-toolkit; without one: plain HTTP for everybody. */
  readonly webConfigFile?: string
  readonly handler: RequestListener
  /** Paths that stay open to everybody, compared with the path exactly as sent. */
  readonly openPaths: readonly string[]
  readonly log: Log
  readonly limits?: Partial<ServerLimits>
}

export interface Listener {
  /** Scheme, host and the real port, once started: `http://127.0.0.1:9438`. */
  readonly url: string
  /** @throws {ListenError} naming the address and the remedy */
  start(): Promise<void>
  /** Lets running answers finish for a few seconds; may be called again and at any time. */
  stop(): Promise<void>
}

/**
 * An HTTP server with limits for strangers, before any handler is asked.
 * @throws {ListenError} when the address cannot be understood
 */
export function createListener(options: ListenerOptions): Listener {
  const address = parseListenAddress(options.address)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const server = createServer(serverOptions(limits))
  const drain = createDrain(server, limits)
  let started: Promise<void> | undefined
  limitServer(server, limits)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    drain.track(response)
    response.setHeader('X-Content-Type-Options', 'nosniff')
    const refusal = checkRequest(request, limits.urlBytes)
    if (refusal !== undefined) refuse(response, refusal)
    else options.handler(request, response)
  })
  return {
    get url() {
      return urlOf(server, 'http', address)
    },
    start() {
      started ??= listen(server, address, options.address)
      return started
    },
    async stop() {
      // a start that is still under way would otherwise open the port after the stop
      await started?.catch(() => undefined)
      await drain.end()
    },
  }
}

function serverOptions(limits: ServerLimits) {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
  }
}

function limitServer(server: Server, limits: ServerLimits): void {
  server.maxConnections = limits.connections
  server.setTimeout(limits.stallTimeoutMs)
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })
}

function listen(server: Server, address: ListenAddress, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(explainListenError(text, cause))
    server.once('error', fail)
    server.listen(address, () => {
      server.off('error', fail)
      resolve()
    })
  })
}

function urlOf(server: Server, scheme: string, address: ListenAddress): string {
  const bound = server.address()
  if (bound === null || typeof bound === 'string')
    throw new ListenError('the listener has no URL: not started')
  return `${scheme}://${urlHost(address.host, bound)}:${bound.port}`
}

/** A name by which a client on this machine finds the listener. */
function urlHost(host: string | undefined, bound: AddressInfo): string {
  const name = host ?? bound.address
  if (name === '::') return 'localhost'
  if (name === '0.0.0.0') return '127.0.0.1'
  return name.includes(':') ? `[${name}]` : name
}
