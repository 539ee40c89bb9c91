import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.ts'

/** Stops a server without cutting off responses and without waiting for idle connections. */
export interface Drain {
  /** Counts a response as running until it is sent or its connection is closed. */
  track(response: ServerResponse): void
  /** Stops accepting, lets running responses finish within the grace period, then closes every connection. */
  end(): Promise<void>
}

type DrainLimits = Pick<ServerLimits, 'stopGraceMs' | 'idleSweepMs'>

/** Must be called before the server accepts connections. */
export function createDrain(server: Server, limits: DrainLimits): Drain {
  const sockets = new Set<Socket>()
  const running = new Set<ServerResponse>()
  let ending: Promise<void> | undefined
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const sweep = () => {
    server.closeIdleConnections()
    // The remaining connections have not sent a complete request or are in the TLS handshake.
    if (running.size === 0) destroyAll()
  }
  return {
    track(response) {
      running.add(response)
      response.once('close', () => running.delete(response))
    },
    end() {
      ending ??= endServer(server, limits, sweep, destroyAll)
      return ending
    },
  }
}

async function endServer(
  server: Server,
  limits: DrainLimits,
  sweep: () => void,
  destroyAll: () => void,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // A connection that is busy when the server closes becomes idle afterwards and would keep the server open.
  const sweeper = setInterval(sweep, limits.idleSweepMs)
  const grace = setTimeout(destroyAll, limits.stopGraceMs)
  sweep()
  await closed
  clearInterval(sweeper)
  clearTimeout(grace)
}
