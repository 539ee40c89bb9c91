import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.ts'

/**
 * Serves the requests of each connection one at a time. A connection that sends a request before the response to the
 * previous one is closed: Node.js would start all requests of a chunk at once, and clients no longer pipeline. One
 * request may come when the previous response is complete, and is served after it: a client may have all its bytes before this
 * process knows that they were sent.
 * @param event emitted by the server with each connection, after the connection has its HTTP parser
 */
export function serveOneAtATime(
  server: Server,
  event: 'connection' | 'secureConnection',
  serve: RequestListener,
  { parsedBytes }: Pick<ServerLimits, 'parsedBytes'>,
): void {
  server.on(event, (socket: Socket) => parseInPieces(socket, parsedBytes))
  const last = new WeakMap<Socket, ServerResponse>()
  server.on('request', (request, response) => {
    const previous = last.get(request.socket)
    last.set(request.socket, response)
    // Without a socket, the connection belongs to the previous response.
    if (response.socket !== null) serve(request, response)
    else if (previous?.writableEnded === true) previous.once('finish', () => serve(request, response))
    else request.socket.destroy()
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
      // Node.js pauses a connection that does not read its response, and must not get data until it resumes.
      if (socket.isPaused()) return socket.unshift(chunk.subarray(start))
      const piece = chunk.subarray(start, start + bytes)
      for (const listener of parse) listener.call(socket, piece)
    }
  })
}
