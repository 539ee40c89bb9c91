import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Connections } from './connections.ts'
import type { ServerLimits } from './limits.ts'

const DEFAULT_HEADERS = { 'X-Content-Type-Options': 'nosniff' } as const

type TimeLimits = Pick<ServerLimits, 'responseBaseMs' | 'responseBytesPerMs'>

export interface ResponseOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly limits: TimeLimits
  readonly connections: Connections
}

/**
 * Sets headers and begins the time limit when the response is sent. Not earlier, because error handlers may clear
 * headers, and a handler may wait for a storage system. Headers that the handler set are kept. An incomplete response
 * that is destroyed resets its connection. Tells `connections` how long the client waits for the response.
 */
export function prepareResponse(response: ServerResponse, options: ResponseOptions): void {
  const { headers, limits, connections } = options
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
function limitTime(response: ServerResponse, { responseBaseMs, responseBytesPerMs }: TimeLimits): void {
  const bytes = Number(response.getHeader('Content-Length') ?? 0)
  const timer = setTimeout(() => response.destroy(), responseBaseMs + bytes / responseBytesPerMs)
  response.once('close', () => clearTimeout(timer))
}

/**
 * Serves requests in the order of their arrival, one in each turn of the event loop. Urgent requests are served at once:
 * health is answered although thousands of other requests arrived before. Without the queue, pipelined requests
 * (`npm run attack`) delayed it by up to 2.8 s. Requests whose connection was closed are not served.
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
      queue.shift()
    }
  }
  return (request, response) => {
    if (isUrgent(request)) return serve(request, response)
    if (queue.push([request, response]) === 1) void serveAll()
  }
}
