import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import type { ServerLimits } from './limits.ts'

/** Limits the log lines about closed connections. */
const LIMIT_WARNING_MS = 60_000

export type Connections = ReturnType<typeof limitConnections>

/**
 * Limits the number of connections: a further one closes that which has made no progress for the longest time. Progress
 * is received data, or sent data that the client has accepted. Clients that wait for a response are closed last. A new
 * client is therefore served although others hold all connections. Connections without traffic are closed, too.
 */
export function limitConnections(
  server: Server,
  isTls: boolean,
  { connections: limit, stallTimeoutMs }: Pick<ServerLimits, 'connections' | 'stallTimeoutMs'>,
  log: Log,
) {
  // A TLS socket does not expose its underlying socket, but both have the same unique pair of addresses. The pair needs two
  // system calls for each connection.
  const keyOf = (socket: Socket): Socket | string =>
    isTls ? `${socket.localAddress} ${socket.remoteAddress} ${socket.remotePort}` : socket
  // A Map keeps insertion order, so the first connection is the one with the oldest progress.
  const open = new Map<Socket | string, Socket>()
  const waiting = new Set<Socket | string>()
  let warnedAt = -Infinity
  /** Must be cheap: a client may cause thousands of calls per second. */
  const closeOldest = () => {
    if (performance.now() - warnedAt >= LIMIT_WARNING_MS) {
      warnedAt = performance.now()
      log.warn('connection limit reached, connections without progress are closed', { limit })
    }
    let [oldest] = open
    for (const connection of open) {
      if (waiting.has(connection[0])) continue
      oldest = connection
      break
    }
    if (oldest === undefined) return
    open.delete(oldest[0])
    oldest[1].resetAndDestroy()
  }
  const moveToEnd = (key: Socket | string) => {
    const connection = open.get(key)
    if (connection === undefined || !open.delete(key)) return
    open.set(key, connection)
  }
  server.on('connection', (socket: Socket) => {
    if (open.size >= limit) closeOldest()
    const key = keyOf(socket)
    open.set(key, socket)
    socket.once('close', () => {
      // A new connection may have the same addresses.
      if (open.get(key) === socket) open.delete(key)
    })
  })
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    const progress = moveToEnd.bind(undefined, keyOf(socket))
    progress()
    socket.on('data', progress).on('drain', progress)
  })
  // A plain close leaves data that the client does not read in the kernel, up to megabytes for minutes. Only the
  // underlying socket of a TLS socket can be reset.
  const reset = (socket: Socket): void => void open.get(keyOf(socket))?.resetAndDestroy()
  server.setTimeout(stallTimeoutMs, reset)
  return {
    /**
     * The client of the connection waits for a response, so it cannot make progress.
     * @returns to be called when the response begins, which counts as progress, or when there is none
     */
    wait(socket: Socket): () => void {
      const key = keyOf(socket)
      waiting.add(key)
      return () => {
        if (waiting.delete(key)) moveToEnd(key)
      }
    },
    reset,
    /** The connection as it was accepted: for a TLS socket, the one below it. */
    accepted: (socket: Socket): Socket | undefined => open.get(keyOf(socket)),
    sockets: (): Iterable<Socket> => open.values(),
  }
}

const DEFAULT_HEADERS = { 'X-Content-Type-Options': 'nosniff' } as const

/**
 * Sets headers and begins the time limit when the response is sent. Not earlier, because error handlers may clear
 * headers, and a handler may wait for a storage system. Headers that the handler set are kept. An incomplete response
 * that is destroyed resets its connection. Tells `connections` how long the client waits for the response.
 */
export function prepareResponse(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  limits: ServerLimits,
  connections: Connections,
): void {
  const { writeHead, destroy, socket } = response
  const endWait = socket === null ? () => undefined : connections.wait(socket)
  response.once('close', endWait)
  response.writeHead = (...parameters: unknown[]) => {
    for (const [name, value] of Object.entries({ ...DEFAULT_HEADERS, ...headers })) {
      if (!response.hasHeader(name)) response.setHeader(name, value)
    }
    limitTime(response, limits)
    endWait()
    return Reflect.apply(writeHead, response, parameters)
  }
  response.destroy = (error) => {
    if (response.socket !== null) connections.reset(response.socket)
    return destroy.call(response, error)
  }
}

/** Closes the connection of a client that reads more slowly than the minimum rate. */
function limitTime(response: ServerResponse, { responseBaseMs, responseBytesPerMs }: ServerLimits): void {
  const bytes = Number(response.getHeader('Content-Length') ?? 0)
  const timer = setTimeout(() => response.destroy(), responseBaseMs + bytes / responseBytesPerMs)
  response.once('close', () => clearTimeout(timer))
}

/** Of the event loop, in each of which Node.js accepts one connection. */
const TURNS_BETWEEN = 16

/**
 * Serves requests in the order of their arrival, with turns of the event loop between them. Urgent requests are served at
 * once: health is answered although thousands of other requests arrived, or hundreds of clients connected, before.
 * Otherwise `npm run attack` delays it by up to 3 s. Requests whose connection was closed are not served.
 */
export function createRequestQueue(
  serve: RequestListener,
  isUrgent: (request: IncomingMessage) => boolean,
): RequestListener {
  const queue: (readonly [IncomingMessage, ServerResponse])[] = []
  const serveAll = async () => {
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      await nextTurn()
      const [request, response] = next
      if (!response.destroyed) serve(request, response)
      for (let turn = 0; turn === 0 || (turn < TURNS_BETWEEN && queue.length > 1); turn += 1) await nextTurn()
      queue.shift()
    }
  }
  return (request, response) => {
    if (isUrgent(request)) return serve(request, response)
    if (queue.push([request, response]) === 1) void serveAll()
  }
}
