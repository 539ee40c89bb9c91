import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Ports that no system gives to a connection or to a server of port 0: their ranges begin at 32768 or 49152. Otherwise
 * another process could have the port before it is used.
 */
const FIRST_PORT = 20_000
const LAST_PORT = 32_000
/** Tests in other processes begin at other ports. */
let next = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT))

/**
 * A free port of 127.0.0.1, another one with each call. For addresses that must be known before the server starts, or on
 * which nothing listens. Servers in this process use port 0 instead.
 */
export async function freePort(): Promise<number> {
  for (let tries = LAST_PORT - FIRST_PORT; tries > 0; tries -= 1) {
    const port = next
    next = port === LAST_PORT ? FIRST_PORT : port + 1
    if (await isFree(port)) return port
  }
  throw new Error(`no port from ${FIRST_PORT} to ${LAST_PORT} is free`)
}

/** On all addresses: some tests listen on them. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port), 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
