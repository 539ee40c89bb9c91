import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net'

export interface RawServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** Number of connections accepted since the start. */
  connections(): number
  stop(): Promise<void>
}

/** An HTTP server with the request listener of a test. */
export function serveHttp(listener: RequestListener): Promise<RawServer> {
  return started(createServer(listener))
}

/** A TCP server, for responses that an HTTP server cannot send. */
export function serveRaw(onConnection: (socket: Socket) => void): Promise<RawServer> {
  return started(
    createSocketServer((socket) => {
      socket.on('error', () => undefined)
      onConnection(socket)
    }),
  )
}

async function started(server: Server): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => count,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
