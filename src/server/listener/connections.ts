import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionName } from './connection_name.ts'

export interface Connections {
  /**
   * Closes a connection at once. A plain close leaves data that the client does not read in the memory of the kernel,
   * up to several megabytes for minutes.
   */
  reset(socket: Socket): void
}

/**
 * Limits the number of connections: a further one closes that which has made no progress for the longest time. Progress
 * is received data, or sent data that the client has accepted. A new client is therefore served although others hold
 * all connections.
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
  server.on('connection', (socket: Socket) => {
    addConnection(open, socket)
    if (open.size <= limit) return
    onLimit()
    closeFirst(open)
  })
  server.on(event, (socket: Socket) => {
    const name = connectionName(socket)
    const moveToEnd = () => {
      const connection = open.get(name)
      if (connection === undefined || !open.delete(name)) return
      open.set(name, connection)
    }
    moveToEnd()
    socket.on('data', moveToEnd).on('drain', moveToEnd)
  })
  return {
    // Only the underlying socket of a TLS socket can be reset.
    reset: (socket) => void open.get(connectionName(socket))?.resetAndDestroy(),
  }
}

function addConnection(open: Map<string, Socket>, socket: Socket): void {
  const name = connectionName(socket)
  open.set(name, socket)
  socket.once('close', () => {
    // A new connection may have the same addresses.
    if (open.get(name) === socket) open.delete(name)
  })
}

function closeFirst(open: Map<string, Socket>): void {
  for (const [name, socket] of open) {
    open.delete(name)
    socket.resetAndDestroy()
    return
  }
}
