import type { Server, ServerResponse } from 'node:http'
import type { Connections } from './abuse/connections.ts'
import type { ServerLimits } from './abuse/limits.ts'

type DrainLimits = Pick<ServerLimits, 'stopGraceMs' | 'idleSweepMs'>

/** Stops a server without cutting off responses and without waiting for idle connections. */
export function createDrain(server: Server, connections: Connections, limits: DrainLimits) {
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
