import { describe, expect, test } from 'vitest'
import type { SystemClient } from '../../../src/api/client.ts'
import { QUERIES, type Query } from '../../../src/api/query/requests/queries.ts'
import { monitored, startClient, startEmulator } from '../client_setup.ts'
import { serveHttp, serveRaw } from '../http/raw_server.ts'
import { never } from '../http/responses.ts'

const QUICK = 'limits: {requests_per_second: 1000}\npoll: {timeout: 8s}'

/** First nodes, each with another fault. */
const FIRST_NODES = {
  'accepts connections and does not answer': () => serveRaw(() => undefined),
  'answers 502, because its service is down': () =>
    serveHttp((_, response) => response.writeHead(502).end('<html>Bad Gateway</html>')),
  'is another web server': () =>
    serveHttp((_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>'),
    ),
  'answers 503': () => serveHttp((_, response) => response.writeHead(503).end()),
  'closes every connection': () => serveRaw((socket) => socket.destroy()),
} as const

describe('a system whose first node', () => {
  test.concurrent.each(Object.entries(FIRST_NODES))(
    '%s is polled through the second',
    async (_, serveFirst) => {
      await using first = await serveFirst()
      await using second = await startEmulator()
      await using setup = startClient(monitored(first.url, second.url), QUICK)
      expect((await setup.client.pools(never())).pools.map(({ id }) => id)).toEqual(
        second.pools.map(({ id }) => id),
      )
      // The first node now has a cooldown.
      const before = first.connections()
      expect((await setup.client.nodes(second.pools[0]?.id ?? '', never())).nodes).toHaveLength(5)
      expect(first.connections()).toBe(before)
      expect(second.log.logins()).toEqual({ granted: 1, refused: 0 })
    },
  )
})

describe('a request that may take long, and hangs at the first node,', () => {
  const [CPU] = QUERIES as readonly [Query]
  const SYSTEM = { operation: 'system', path: '/dashboard/zones/localzone' } as const

  test.concurrent.each<[string, (client: SystemClient) => Promise<unknown>]>([
    ['a query', (client) => client.query(CPU, { lastOnly: false, windowSeconds: 1320 }, never())],
    ['a resource', (client) => client.resource(SYSTEM, function* () {}, never())],
  ])('%s: is sent to the second when poll.timeout is over, not half of it', async (_, send) => {
    await using first = await startEmulator({
      profile: 'modern',
      faults: ['half-open@query', 'half-open@system'],
    })
    await using second = await startEmulator({ profile: 'modern' })
    const urls = `["${first.url}", "${second.url}"]`
    await using setup = startClient(`{name: a, base_url: ${urls}, auth: {token: emulator-monitor}}`, QUICK)
    await send(setup.client)
    expect(setup.exchanges.map((exchange) => exchange.split(' ')[1])).toEqual(['timeout', '200'])
    const [hung = 0] = setup.durationsSeconds
    // Without what the client did before it sent the request.
    expect(hung).toBeGreaterThan(5)
  })
})
