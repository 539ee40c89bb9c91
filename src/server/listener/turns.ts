import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.ts'

type TurnLimits = Pick<ServerLimits, 'waitingRequests' | 'parsedBytes'>

/**
 * Serves the requests of each connection one at a time and in order; Node.js would start all requests of a chunk at
 * once. A connection with too many waiting requests is closed. Requests that wait when their connection closes are
 * never started.
 * @param event emitted by the server with each connection, after the connection has its HTTP parser
 */
export function serveInTurn(
  server: Server,
  event: 'connection' | 'secureConnection',
  serve: RequestListener,
  limits: TurnLimits,
): void {
  server.on(event, (socket: Socket) => parseInPieces(socket, limits.parsedBytes))
  server.on('request', createTurns(serve, limits.waitingRequests))
}

/**
 * The parser delivers every request of the bytes that it was passed, even if the connection is closed meanwhile. A
 * chunk from a socket has up to 64 kB, which is more than 2,000 requests.
 */
function parseInPieces(socket: Socket, bytes: number): void {
  const parse = socket.listeners('data')
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    for (let start = 0; start < chunk.length && socket.writable; start += bytes) {
      const piece = chunk.subarray(start, start + bytes)
      for (const listener of parse) listener.call(socket, piece)
    }
  })
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

function createTurns(serve: RequestListener, limit: number): RequestListener {
  /** The waiting requests of each connection that is serving one. */
  const waiting = new WeakMap<Socket, Exchange[]>()
  const start = (socket: Socket, { request, response }: Exchange) => {
    response.once('close', () => startNext(socket))
    serve(request, response)
  }
  const startNext = (socket: Socket) => {
    // A connection that was closed, or that closes after the last response, is not writable.
    const next = socket.writable ? waiting.get(socket)?.shift() : undefined
    if (next === undefined) waiting.delete(socket)
    else start(socket, next)
  }
  return (request, response) => {
    const { socket } = request
    if (!socket.writable) return
    const queue = waiting.get(socket)
    if (queue === undefined) {
      waiting.set(socket, [])
      start(socket, { request, response })
    } else if (queue.length < limit) queue.push({ request, response })
    else socket.destroy()
  }
}
