import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionName } from './connection_name.ts'

export interface Connections {
  /**
   * The client of the connection waits for a response, so it cannot make progress.
   * @returns to be called when the response begins, which counts as progress, or when there is none
   */
  wait(socket: Socket): () => void
  /**
   * Closes a connection at once. A plain close leaves data that the client does not read in the memory of the kernel,
   * up to several megabytes for minutes.
   */
  reset(socket: Socket): void
}

/**
 * Limits the number of connections: a further one closes that which has made no progress for the longest time. Progress
 * is received data, or sent data that the client has accepted. Clients that wait for a response are closed last. A new
 * client is therefore served although others hold all connections.
 * @param event emitted by the server with each connection, after the TLS handshake if there is one
 * @param onLimit called for each connection that is closed because of the limit
 */
export function limitConnections(
  server: Server,
  event: 'connection' | 'secureConnection',
  limit: number,
  onLimit: () => void,
): Connections {
  // A Map keeps insertion order, so the first connection is the one with the oldest progress.
  const open = new Map<string, Socket>()
  const waiting = new Set<string>()
  const moveToEnd = (name: string) => {
    const connection = open.get(name)
    if (connection === undefined || !open.delete(name)) return
    open.set(name, connection)
  }
  server.on('connection', (socket: Socket) => {
    if (open.size >= limit) {
      onLimit()
      closeOldest(open, waiting)
    }
    const name = connectionName(socket)
    open.set(name, socket)
    socket.once('close', () => {
      // A new connection may have the same addresses.
      if (open.get(name) === socket) open.delete(name)
    })
  })
  server.on(event, (socket: Socket) => {
    const name = connectionName(socket)
    moveToEnd(name)
    socket.on('data', () => moveToEnd(name)).on('drain', () => moveToEnd(name))
  })
  return {
    wait(socket) {
      const name = connectionName(socket)
      waiting.add(name)
      return () => {
        if (waiting.delete(name)) moveToEnd(name)
      }
    },
    // Only the underlying socket of a TLS socket can be reset.
    reset: (socket) => void open.get(connectionName(socket))?.resetAndDestroy(),
  }
}

/** Closes the connection that does not wait and has the oldest progress; if all wait, the one with the oldest progress. */
function closeOldest(open: Map<string, Socket>, waiting: ReadonlySet<string>): void {
  const names = [...open.keys()]
  const name = names.find((candidate) => !waiting.has(candidate)) ?? names[0]
  if (name === undefined) return
  const socket = open.get(name)
  open.delete(name)
  socket?.resetAndDestroy()
}
