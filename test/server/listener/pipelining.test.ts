import type { RequestListener, ServerResponse } from 'node:http'
import { connect as connectTls } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../support/folders.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { LOCAL_SANS, makeAuthority } from './certificates.ts'
import { openSocket, readAll, sendRaw, startListener } from './listener_setup.ts'

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const LAST = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
const pipeline = (count: number) => Array.from({ length: count }, (_, index) => request(`/${index}`)).join('')
const handledPaths = (answer: string) =>
  [...answer.matchAll(/handled (\/\w+?)(?=HTTP|$)/g)].map(([, path]) => path)

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

describe('pipelined requests', () => {
  test.each([2, 8])('%i of them are answered completely and in order', async (count) => {
    await using listener = await startListener()
    const answer = await sendRaw(listener.port, `${pipeline(count - 1)}${LAST}`)
    const paths = Array.from({ length: count - 1 }, (_, index) => `/${index}`)
    expect(handledPaths(answer)).toEqual([...paths, '/last'])
  })

  test('are answered if they arrive in parts, and with bodies', async () => {
    await using listener = await startListener({
      handler: (incoming, response) => incoming.pipe(response),
    })
    const socket = await openSocket(listener.port)
    const answer = readAll(socket)
    const body = 'b'.repeat(3000)
    const text = `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n${body}${LAST}`
    for (let start = 0; start < text.length; start += 700) socket.write(text.slice(start, start + 700))
    expect((await answer).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
    expect(await answer).toContain(body.slice(0, 1000))
  })

  test('are served one at a time', async () => {
    const { handler, held, paths } = holding()
    await using listener = await startListener({ handler })
    const answer = sendRaw(listener.port, `${pipeline(2)}${LAST}`)
    for (const path of ['/0', '/1', '/last']) {
      await waitForAssertion(() => expect(paths.at(-1)).toBe(path))
      expect(held).toHaveLength(1)
      held.pop()?.end(`handled ${path}`)
    }
    expect(handledPaths(await answer)).toEqual(['/0', '/1', '/last'])
  })

  test('beyond a few end the connection, and none of them is started', async () => {
    const { handler, held, paths } = holding()
    await using listener = await startListener({ handler })
    const socket = await openSocket(listener.port)
    socket.write(request('/first'))
    await waitForAssertion(() => expect(paths).toEqual(['/first']))
    socket.write(pipeline(1800))
    expect(await readAll(socket)).toBe('')
    await waitForAssertion(() => expect(held[0]?.destroyed).toBe(true))
    const other = await openSocket(listener.port)
    other.write(request('/other'))
    await waitForAssertion(() => expect(paths.at(-1)).toBe('/other'))
    expect(paths).toEqual(['/first', '/other'])
    other.destroy()
  })

  test('are not started when their client has left', async () => {
    const { handler, held, paths } = holding()
    await using listener = await startListener({ handler })
    const socket = await openSocket(listener.port)
    socket.write(pipeline(5))
    await waitForAssertion(() => expect(paths).toEqual(['/0']))
    socket.destroy()
    await waitForAssertion(() => expect(held[0]?.destroyed).toBe(true))
    const other = await openSocket(listener.port)
    other.write(request('/other'))
    await waitForAssertion(() => expect(paths.at(-1)).toBe('/other'))
    expect(paths).toEqual(['/0', '/other'])
    other.destroy()
  })

  test('over TLS are served in order, and end the connection beyond a few', async () => {
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
    const send = (text: string) => {
      const socket = connectTls({ host: '127.0.0.1', port: listener.port, ca: authority.cert })
      socket.write(text)
      return readAll(socket)
    }
    expect(handledPaths(await send(`${pipeline(4)}${LAST}`))).toEqual(['/0', '/1', '/2', '/3', '/last'])
    expect(handledPaths(await send(pipeline(1800))).length).toBeLessThan(10)
  })
})
