import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient, type ReceivedExchange } from '../../../src/api/client.ts'
import type { ApiError } from '../../../src/api/errors/errors.ts'
import { pause } from '../../../src/api/http/waiting.ts'
import { createResourceReader } from '../../../src/api/resources/reader.ts'
import { silentLog } from '../../../src/log.ts'
import { kindsOf } from '../../../src/system_catalogue.ts'
import { configOf, onlySystem } from '../../readings/setup.ts'
import { serveHttp } from '../http/raw_server.ts'
import { linesOf } from './setup.ts'

const [KIND] = kindsOf('data_nodes')
const TOKEN = 'secret-token'

interface Seen {
  readonly address: string
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>>
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

/** Servers at these loopback addresses and one port. */
async function serveAt(addresses: readonly string[], listener: RequestListener): Promise<number> {
  let port = 0
  for (const host of addresses) {
    const server = createServer(listener)
    servers.push(server)
    await once(server.listen({ host, port }), 'listening')
    port = (server.address() as AddressInfo).port
  }
  return port
}

const ping = (connections: number | string, status = 'OFF') =>
  `<?xml version="1.0" encoding="UTF-8"?><PingList xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><PingItem><Name>MAINTENANCE_MODE</Name><Status>${status}</Status><Text>Data Node</Text></PingItem><PingItem><Name>LOAD_FACTOR</Name><Value>${connections}</Value></PingItem></PingList>`

/** Answers as the node at the address of the socket: text, or a listener. */
type Answers = Readonly<Record<string, string | RequestListener>>

/** Reads the data ports of nodes of a system that lists these addresses. */
async function read(addresses: readonly unknown[], answers: Answers, keys = '', timeout = '30s') {
  const seen: Seen[] = []
  const listening = Object.keys(answers)
  const port = await serveAt(listening, (request, response) => {
    const address = request.socket.localAddress ?? ''
    seen.push({ address, url: request.url ?? '', headers: request.headers })
    const answer = answers[address] ?? ''
    if (typeof answer === 'function') answer(request, response)
    else response.end(answer)
  })
  await using system = await serveHttp((_, response) => {
    const node = addresses.map((data_ip, index) => ({
      nodename: `n${index + 1}`,
      nodeid: `i${index + 1}`,
      data_ip,
    }))
    response.end(JSON.stringify({ node }))
  })
  const config = onlySystem(
    configOf(
      `poll: {timeout: ${timeout}}\nresources: {data_nodes: {schedule: "0 * * * * *", scheme: http, port: ${port}${keys}}}`,
      `{name: a, base_url: "${system.url}", auth: {token: ${TOKEN}}}`,
    ),
  )
  const received: ReceivedExchange[] = []
  const responded: boolean[] = []
  const client = createClient({
    ...{ system: config, log: silentLog },
    observer: {
      exchanged: () => undefined,
      received: (exchange) => received.push(exchange),
      responded: (value) => responded.push(value),
    },
  })
  try {
    if (KIND === undefined) throw new Error('no such kind')
    const reader = createResourceReader({
      ...{ resources: config.resources, send: client.resource, query: client.query },
      ...{ openDataPorts: client.openDataPorts, known: () => undefined, pause, now: () => performance.now() },
    })
    const reading = await reader.read(KIND, new AbortController().signal)
    return { lines: linesOf(reading), reading, seen, received, responded }
  } finally {
    await client.close()
  }
}

const connections = (node: string, value: number) =>
  `sds_node_active_connections{system="a",node="${node}"} ${value}`

describe('the data ports of nodes', () => {
  test('are requested without a token, at the addresses of the list only', async () => {
    const { lines, seen, received } = await read(['127.0.2.1', '127.0.2.2'], {
      '127.0.2.1': ping(3),
      '127.0.2.2': ping('40'),
      '127.0.2.3': ping(5),
    })
    expect(lines).toEqual([
      connections('n1', 3),
      connections('n2', 40),
      'sds_node_maintenance_mode{system="a",node="n1"} 0',
      'sds_node_maintenance_mode{system="a",node="n2"} 0',
    ])
    expect(seen.map(({ address, url }) => `${address}${url}`).toSorted()).toEqual([
      '127.0.2.1/?ping&item=load-factor',
      '127.0.2.2/?ping&item=load-factor',
    ])
    expect(JSON.stringify(seen)).not.toContain(TOKEN)
    expect(received.filter(({ operation }) => operation === 'data_nodes')).toHaveLength(3)
  })

  test('are requested with the maintenance mode where the configuration asks for it', async () => {
    const answers = { '127.0.2.1': ping(3, 'ON'), '127.0.2.2': ping(4, 'UNKNOWN') }
    const { lines, seen, reading } = await read(Object.keys(answers), answers, ', maintenance: true')
    expect(lines).toEqual([
      connections('n1', 3),
      connections('n2', 4),
      'sds_node_maintenance_mode{system="a",node="n1"} 1',
    ])
    expect(new Set(seen.map(({ url }) => url))).toEqual(new Set(['/?ping']))
    expect(reading.rejected).toEqual([])
  })

  test('are those of the nodes that the names select', async () => {
    const answers = { '127.0.2.1': ping(1), '127.0.2.2': ping(2), '127.0.2.3': ping(3) }
    const { lines, seen } = await read(Object.keys(answers), answers, ', include: "n[12]", exclude: n1')
    expect(lines).toContain(connections('n2', 2))
    expect(seen.map(({ address }) => address)).toEqual(['127.0.2.2'])
  })

  test('of which some hang, refuse, redirect or answer garbage: the others have their values', async () => {
    const elsewhere: RequestListener = (_, response) => {
      response.writeHead(302, { Location: 'http://127.0.2.1/' }).end()
    }
    const answers = {
      '127.0.2.1': ping(1),
      '127.0.2.2': () => undefined,
      '127.0.2.3': 'garbage',
      '127.0.2.4': '<html><body>portal</body></html>',
      '127.0.2.5': elsewhere,
      '127.0.2.6': '<PingList><PingItem><Name>OTHER</Name><Value>1</Value></PingItem></PingList>',
      '127.0.2.7': ping('x'.repeat(70_000)),
      '127.0.2.8': ping(8),
    }
    const addresses = [...Object.keys(answers), '127.0.2.9', undefined, 'localhost', '127.0.2.1:80/x?']
    // The test waits so long; the others answer within it also on a loaded machine.
    const { lines, reading, seen, responded } = await read(addresses, answers, '', '5s')
    expect(lines.filter((line) => line.includes('connections'))).toEqual([
      connections('n1', 1),
      connections('n8', 8),
    ])
    expect(reading.leftOut).toBe(addresses.length - 2)
    expect(seen.filter(({ address }) => address === '127.0.2.1')).toHaveLength(1)
    // The management API answered: nothing is wrong with it.
    expect(responded).toEqual([true])
  })

  test('that all fail make the reading fail, which is no failure of the system', async () => {
    const failure = await read(['127.0.2.1', '127.0.2.2'], { '127.0.2.1': 'garbage' }).catch(
      (one: ApiError) => one,
    )
    expect(failure).toMatchObject({
      reason: 'local',
      remedy: expect.stringContaining('resources.data_nodes'),
      detail: expect.stringContaining('no node answered'),
    })
  })

  test('of nodes without addresses are not available', async () => {
    await expect(read([undefined], { '127.0.2.1': ping(1) })).rejects.toMatchObject({ reason: 'not_found' })
  })

  test('of 640 nodes are read, each once', async () => {
    const addresses = Array.from(
      { length: 640 },
      (_, index) => `127.0.${3 + Math.floor(index / 250)}.${1 + (index % 250)}`,
    )
    const answers = Object.fromEntries(addresses.map((address, index) => [address, ping(index)]))
    const { lines, seen } = await read(addresses, answers)
    expect(lines.filter((line) => line.includes('connections'))).toHaveLength(640)
    expect(seen).toHaveLength(640)
  })
})
