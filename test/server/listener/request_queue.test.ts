import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openSocket, readAll, startListener } from './listener_setup.ts'

const CLIENTS = 20
const closing = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

/**
 * Connections to a listener whose handler records the paths in the order in which they are served. The listener has
 * accepted them all, so requests that are written together arrive together.
 */
async function recording() {
  const paths: unknown[] = []
  const handler: RequestListener = ({ url }, response) => {
    paths.push(url)
    response.end()
  }
  const listener = await startListener({
    handler,
    limits: { keepAliveTimeoutMs: 60_000 },
  })
  const sockets: Socket[] = []
  while (sockets.length < CLIENTS) {
    const socket = await openSocket(listener.port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    sockets.push(socket)
  }
  paths.length = 0
  return { listener, sockets, paths }
}

const metrics = Array.from({ length: CLIENTS - 1 }, () => '/metrics')

test('an open path is served before other requests that arrived first, and all are served', async () => {
  const { listener, sockets, paths } = await recording()
  await using _ = listener
  const answers = sockets.map((socket, index) => {
    socket.write(closing(index < CLIENTS - 1 ? '/metrics' : '/-/healthy'))
    return readAll(socket)
  })
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 200/)
  expect(paths).toEqual(['/-/healthy', ...metrics])
})

test('clients that connect are accepted while others wait for a response', async () => {
  const paths: unknown[] = []
  const handler: RequestListener = ({ url }, response) => {
    paths.push(url)
    response.end()
  }
  await using listener = await startListener({ handler })
  const send = async (path: string) => {
    const socket = await openSocket(listener.port)
    socket.write(closing(path))
    return readAll(socket)
  }
  await Promise.all([...Array.from({ length: 200 }, () => send('/metrics')), send('/-/healthy')])
  expect(paths).toHaveLength(201)
  // If one was accepted for each request, health would be among the last ones.
  expect(paths.indexOf('/-/healthy')).toBeLessThan(100)
})
