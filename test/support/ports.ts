import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/**
 * A port of 127.0.0.1 that was free a moment ago. For addresses that must be known before the server runs, or
 * where nothing shall listen; a server of our own takes port 0 instead.
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
