import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEmulator } from '../../src/emulator/emulator.ts'

/**
 * A storage system in a process of its own that costs little: the first response of the emulator to each path is sent again
 * to all further requests. After each message it sends how often feeds were requested.
 */
export interface SystemReport {
  readonly url: string
  readonly feeds: number
}

interface Recorded {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const [pools = '1', nodes = '16'] = process.argv.slice(2)
const emulator = createEmulator({
  pools: Number(pools),
  nodes: Number(nodes),
  profile: 'classic',
  listenAddress: '127.0.0.1:0',
})
await emulator.start()
const recorded = new Map<string, Promise<Recorded>>()
let feeds = 0

async function record(path: string, headers: Record<string, string>): Promise<Recorded> {
  const response = await fetch(`${emulator.url}${path}`, { headers, redirect: 'manual' })
  const kept = ['content-type', 'x-sds-auth-token'].flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  const body = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: Object.fromEntries(kept), body }
}

const server = createServer(async (request, response) => {
  const { url = '', headers } = request
  if (url.includes('/nodes?')) feeds += 1
  const sent = Object.fromEntries(
    ['accept', 'authorization', 'x-sds-auth-token'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  const known = recorded.get(url) ?? record(url, sent)
  recorded.set(url, known)
  const { status, headers: answered, body } = await known
  response.writeHead(status, { ...answered, 'content-length': body.length }).end(body)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const report = () => process.send?.({ url, feeds } satisfies SystemReport)
process.on('message', report)
report()
