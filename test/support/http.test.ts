import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { get, getJson, request } from './http.ts'
import { freePort } from './ports.ts'

async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: close }
}

test('does not decompress a body', async () => {
  const compressed = gzipSync('hello')
  await using server = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(compressed)
  })
  expect((await get(server.url)).body).toEqual(compressed)
})

test('sends method, raw path, headers and body, and adds no Accept', async () => {
  await using server = await serve((incoming, response) => {
    const { accept = 'none', 'x-token': token } = incoming.headers
    incoming.on('data', (body) =>
      response.end(`${incoming.method} ${incoming.url} ${accept} ${token} ${body}`),
    )
  })
  const answer = await request('DELETE', `${server.url}/a/../%zz?x={7d;4w}`, {
    headers: { 'x-token': 'abc' },
    body: 'text',
  })
  expect(answer.text).toBe('DELETE /a/../%zz?x={7d;4w} none abc text')
})

test('does not follow a redirect', async () => {
  await using server = await serve((_, response) => response.writeHead(302, { location: '/login' }).end())
  expect(await get(`${server.url}/`)).toMatchObject({ status: 302, headers: { location: '/login' } })
})

test('getJson fails with status and body of any other status', async () => {
  await using server = await serve((_, response) => response.writeHead(400).end('bad query'))
  await expect(getJson(`${server.url}/q`)).rejects.toThrow('answered 400: bad query')
})

test('free ports refuse connections, differ, and are none that a system gives away', async () => {
  const [one, other] = [await freePort(), await freePort()]
  await expect(get(`http://127.0.0.1:${one}/`)).rejects.toThrow('ECONNREFUSED')
  expect(other).not.toBe(one)
  expect(Math.max(one, other)).toBeLessThan(32_768)
})
