import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEmulator } from '../../../src/emulator/emulator.ts'

/**
 * A storage system in a process of its own that costs little: the first response of the emulator to each path is sent again
 * to all further requests. After the message `count` it sends how often feeds were requested, after `parse` also what `JSON.parse` of them costs.
 */
export interface SystemReport {
  readonly url: string
  readonly feeds: number
  /** CPU time of `JSON.parse` of one response of each pool, in seconds. */
  readonly parseSeconds: number
  readonly bodyBytes: number
}

interface Recorded {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Buffer
}

const MICROSECONDS = 1e6
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
  return {
    status: response.status,
    headers: Object.fromEntries(kept),
    body: Buffer.from(await response.arrayBuffer()),
  }
}

const isFeed = (path: string) => path.includes('/nodes?')

const server = createServer(async (request, response) => {
  const { url = '', headers } = request
  if (isFeed(url)) feeds += 1
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

const count = (): SystemReport => ({ url, feeds, parseSeconds: 0, bodyBytes: 0 })

async function parse(): Promise<SystemReport> {
  const bodies = await Promise.all([...recorded].filter(([path]) => isFeed(path)).map(([, known]) => known))
  const texts = bodies.map(({ body }) => body.toString())
  const before = process.cpuUsage()
  for (const text of texts) JSON.parse(text)
  const { user, system } = process.cpuUsage(before)
  const bodyBytes = bodies.reduce((sum, { body }) => sum + body.length, 0)
  return { ...count(), parseSeconds: (user + system) / MICROSECONDS, bodyBytes }
}

process.on('message', async (message) => process.send?.(message === 'parse' ? await parse() : count()))
process.send?.(count())
