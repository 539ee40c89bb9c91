import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/folders.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { LOCAL_SANS, makeAuthority } from './certificates.ts'
import { openSocket, readAll, sendRaw, startListener } from './listener_setup.ts'

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const pipeline = (count: number) => Array.from({ length: count }, (_, index) => request(`/${index}`)).join('')

/** A handler that holds its responses until the test ends them. */
function holding() {
  const held: ServerResponse[] = []
  const paths: unknown[] = []
  const handler: RequestListener = ({ url }, response) => {
    paths.push(url)
    held.push(response)
  }
  return { handler, held, paths }
}

const BYTES = 16 * 1024 ** 2

/** A handler whose responses are larger than the buffers of a connection. */
function large() {
  const paths: unknown[] = []
  const handler: RequestListener = ({ url }, response) => {
    paths.push(url)
    response.end(Buffer.alloc(BYTES, 'a'))
  }
  return { handler, paths }
}

test('requests that wait for the response before are served on one connection, also with bodies in parts', async () => {
  await using listener = await startListener({ handler: (incoming, response) => incoming.pipe(response) })
  const socket = await openSocket(listener.port)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  for (let count = 1; count <= 3; count += 1) {
    const text = `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n${'b'.repeat(2999)}c`
    for (let start = 0; start < text.length; start += 700) socket.write(text.slice(start, start + 700))
    await waitForAssertion(() => expect(answer.match(/b{9}c/g)).toHaveLength(count))
  }
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3)
  socket.destroy()
})

test('a request that comes before the last bytes of a complete response are sent is served, a further one is not', async () => {
  const { handler, paths } = large()
  await using listener = await startListener({ handler })
  for (const [more, served] of [
    [request('/second'), ['/first', '/second']],
    [request('/second') + request('/third'), ['/first']],
  ] as const) {
    paths.length = 0
    const socket = await openSocket(listener.port)
    socket.pause()
    socket.write(request('/first'))
    await waitForAssertion(() => expect(paths).toEqual(['/first']))
    socket.write(more)
    await sleep(50)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    socket.resume()
    if (served.length > 1) await waitForAssertion(() => expect(bytes).toBeGreaterThan(2 * BYTES))
    else await once(socket, 'close')
    socket.destroy()
    expect(paths).toEqual(served)
  }
})

test('a connection that does not read its response gets no further data until it does', async () => {
  const { handler, paths } = large()
  await using listener = await startListener({ handler })
  const socket = await openSocket(listener.port)
  socket.pause()
  socket.write(request('/first'))
  await waitForAssertion(() => expect(paths).toEqual(['/first']))
  // Longer than what is parsed at a time: the rest comes while Node.js has paused the connection for the first response.
  socket.write(`${request('/second')}GET /third HTTP/1.1\r\nX: ${'a'.repeat(5000)}`)
  await sleep(50)
  const other = await openSocket(listener.port)
  other.write(request('/other'))
  await waitForAssertion(() => expect(paths).toContain('/other'))
  other.destroy()
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  socket.resume()
  await waitForAssertion(() => expect(bytes).toBeGreaterThan(2 * BYTES))
  socket.destroy()
})

describe('pipelined requests', () => {
  test.each([2, 1800])('end the connection, and at most the first of %i is started', async (count) => {
    const { handler, held, paths } = holding()
    await using listener = await startListener({ handler })
    expect(await sendRaw(listener.port, pipeline(count))).toBe('')
    const other = await openSocket(listener.port)
    other.write(request('/other'))
    await waitForAssertion(() => expect(paths.at(-1)).toBe('/other'))
    expect(paths.filter((path) => path !== '/0')).toEqual(['/other'])
    other.destroy()
    await waitForAssertion(() => expect(held.every(({ destroyed }) => destroyed)).toBe(true))
  })

  test('end the connection while the first is served', async () => {
    const { handler, held, paths } = holding()
    await using listener = await startListener({ handler })
    const socket = await openSocket(listener.port)
    socket.write(request('/first'))
    await waitForAssertion(() => expect(paths).toEqual(['/first']))
    socket.write(request('/second'))
    expect(await readAll(socket)).toBe('')
    await waitForAssertion(() => expect(held[0]?.destroyed).toBe(true))
    expect(paths).toEqual(['/first'])
  })

  test('over TLS end the connection', async () => {
    const authority = await makeAuthority('test CA')
    const { cert, key } = await authority.issue('server', LOCAL_SANS)
    using folder = temporaryFolder()
    folder.write('server.pem', cert)
    folder.write('server.key', key)
    const webConfigFile = folder.write(
      'web.yml',
      'tls_server_config: {cert_file: server.pem, key_file: server.key}',
    )
    await using listener = await startListener({ webConfigFile })
    const socket = connectTls({ host: '127.0.0.1', port: listener.port, ca: authority.cert })
    socket.write(pipeline(1800))
    expect(await readAll(socket)).toBe('')
  })
})

test.each([
  ['without Host', 'GET / HTTP/1.1\r\n\r\n'],
  ['with an unknown expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: b\r\n\r\n'],
])('requests %s that come before the response to the previous one close the connection', async (_, next) => {
  const { handler, paths } = holding()
  await using listener = await startListener({ handler })
  const socket = await openSocket(listener.port)
  socket.resume()
  socket.write(request('/0'))
  await waitForAssertion(() => expect(paths).toEqual(['/0']))
  const closed = once(socket, 'close')
  socket.write(next.repeat(1000))
  await closed
  expect(paths).toEqual(['/0'])
})
