import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ServerLimits } from './limits.ts'

/** Knows what a server is doing, so that it can end without cutting an answer and without waiting for idle clients. */
export interface Drain {
  /** Counts an answer as running until it is sent or its client has gone. */
  track(response: ServerResponse): void
  /** Stops accepting, lets running answers finish within the grace, then closes every connection. */
  end(): Promise<void>
}

type DrainLimits = Pick<ServerLimits, 'stopGraceMs' | 'idleSweepMs'>

/** Watches the connections of a server from its birth. */
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
    // what is left then never sent a whole request, or is still shaking hands
    if (running.size === 0) destroyAll()
  }
  return {
    track(response) {
      if (ending !== undefined) response.shouldKeepAlive = false
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
  // A connection that is busy when the server closes falls back to keep-alive afterwards and would hold it open.
  const sweeper = setInterval(sweep, limits.idleSweepMs)
  const grace = setTimeout(destroyAll, limits.stopGraceMs)
  sweep()
  await closed
  clearInterval(sweeper)
  clearTimeout(grace)
}
