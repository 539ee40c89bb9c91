import { describe, expect, test } from 'vitest'
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
      expect((await setup.client.pools(never())).map(({ id }) => id)).toEqual(
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
