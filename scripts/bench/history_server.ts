import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startOnePool } from './emulator/one_pool.ts'

/** A storage system in a process of its own that serves prepared responses, so that its work is not measured. */
const TOKEN = { 'X-SDS-AUTH-TOKEN': 'emulator-monitor' }
const [nodes = '8'] = process.argv.slice(2)

const emulator = await startOnePool(Number(nodes))
const prepared = new Map<string, Buffer>()

const server = createServer(async (request, response) => {
  const url = request.url ?? ''
  const body = prepared.get(url) ?? (await ask(url))
  if (url.includes('dataType=historical')) prepared.set(url, body)
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length, ...TOKEN })
  response.end(body)
})

async function ask(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(`${emulator.url}${url}`, { headers: TOKEN })).arrayBuffer())
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `http://127.0.0.1:${port}`, pool: emulator.pools[0]?.id })
})
