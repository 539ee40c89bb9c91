import type { Server } from 'node:http'
import type { Socket } from 'node:net'

export type Connections = ReturnType<typeof limitConnections>

/** A plain connection is its own key; a TLS socket and its underlying socket have the same name. */
type Key = Socket | string

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
) {
  // A Map keeps insertion order, so the first connection is the one with the oldest progress.
  const open = new Map<Key, Socket>()
  const waiting = new Set<Key>()
  // Names need two system calls for each connection.
  const keyOf = event === 'connection' ? (socket: Socket): Key => socket : connectionName
  const moveToEnd = (key: Key) => {
    const connection = open.get(key)
    if (connection === undefined || !open.delete(key)) return
    open.set(key, connection)
  }
  server.on('connection', (socket: Socket) => {
    if (open.size >= limit) {
      onLimit()
      closeOldest(open, waiting)
    }
    const key = keyOf(socket)
    open.set(key, socket)
    socket.once('close', () => {
      // A new connection may have the same addresses.
      if (open.get(key) === socket) open.delete(key)
    })
  })
  server.on(event, (socket: Socket) => {
    const progress = moveToEnd.bind(undefined, keyOf(socket))
    progress()
    socket.on('data', progress).on('drain', progress)
  })
  return {
    /**
     * The client of the connection waits for a response, so it cannot make progress.
     * @returns to be called when the response begins, which counts as progress, or when there is none
     */
    wait(socket: Socket): () => void {
      const key = keyOf(socket)
      waiting.add(key)
      return () => {
        if (waiting.delete(key)) moveToEnd(key)
      }
    },
    // A plain close leaves data that the client does not read in the kernel, up to megabytes for minutes. Only the
    // underlying socket of a TLS socket can be reset.
    reset: (socket: Socket): void => void open.get(keyOf(socket))?.resetAndDestroy(),
    sockets: (): Iterable<Socket> => open.values(),
  }
}

/** Closes the connection that does not wait and has the oldest progress; if all wait, the one with the oldest progress. */
function closeOldest(open: Map<Key, Socket>, waiting: ReadonlySet<Key>): void {
  let chosen: [Key, Socket] | undefined
  for (const connection of open) {
    const isIdle = !waiting.has(connection[0])
    if (isIdle || chosen === undefined) chosen = connection
    if (isIdle) break
  }
  if (chosen === undefined) return
  const [key, socket] = chosen
  open.delete(key)
  socket.resetAndDestroy()
}

/** A TLS socket does not expose its underlying socket, but both have the same unique pair of addresses. */
export function connectionName({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`
}
