import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.ts'

/**
 * Serves the requests of each connection one at a time. A connection that sends a request before the response to the
 * previous one is closed: Node.js would start all requests of a chunk at once, and clients no longer pipeline.
 * @param event emitted by the server with each connection, after the connection has its HTTP parser
 */
export function serveOneAtATime(
  server: Server,
  event: 'connection' | 'secureConnection',
  serve: RequestListener,
  { parsedBytes }: Pick<ServerLimits, 'parsedBytes'>,
): void {
  server.on(event, (socket: Socket) => parseInPieces(socket, parsedBytes))
  server.on('request', (request, response) => {
    // The connection belongs to the previous response.
    if (response.socket === null) request.socket.destroy()
    else serve(request, response)
  })
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
