import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/**
 * A port of 127.0.0.1 that was free just before. For addresses that must be known before the server starts, or on which
 * nothing listens. Servers in this process use port 0 instead.
 */
export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
