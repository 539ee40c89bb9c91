import { describe, expect, test } from 'vitest'
import { monitored, startClient, startEmulator } from '../client_plant.ts'
import { serveHttp, serveRaw } from '../http/raw_server.ts'

const never = () => new AbortController().signal
const QUICK = 'limits: {requests_per_second: 1000}\npoll: {timeout: 3s}'

/** First nodes that do not do their work, each in another way. */
const FIRST_NODES = {
  'takes connections and is silent': () => serveRaw(() => undefined),
  'answers 502, its service being dead': () =>
    serveHttp((_, response) => response.writeHead(502).end('<html>Bad Gateway</html>')),
  'is a web server of something else': () =>
    serveHttp((_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Welcome</html>'),
    ),
  'answers 503': () => serveHttp((_, response) => response.writeHead(503).end()),
  'breaks every connection': () => serveRaw((socket) => socket.destroy()),
} as const

describe('a system whose first node', () => {
  test.concurrent.each(Object.entries(FIRST_NODES))(
    '%s answers through the second',
    async (_, serveFirst) => {
      await using first = await serveFirst()
      await using second = await startEmulator()
      await using plant = startClient(monitored(first.url, second.url), QUICK)
      expect((await plant.client.pools(never())).map(({ id }) => id)).toEqual(
        second.pools.map(({ id }) => id),
      )
      // From now on the first is left alone.
      const before = first.connections()
      expect((await plant.client.nodes(second.pools[0]?.id ?? '', never())).nodes).toHaveLength(5)
      expect(first.connections()).toBe(before)
      expect(second.log.logins()).toEqual({ granted: 1, refused: 0 })
    },
  )
})

test('one pool that stalls does not make a system that answers a dead one', async () => {
  await using emulator = await startEmulator({ faults: ['stall@nodes,pool=hot'] })
  await using plant = startClient(monitored(emulator.url), 'poll: {timeout: 1s}')
  const [hot, archive] = emulator.pools.map(({ id }) => plant.client.nodes(id, never()))
  await expect(hot).rejects.toMatchObject({ reason: 'timeout' })
  await archive
  expect(plant.answers).toEqual([true])
})
