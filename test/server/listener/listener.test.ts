import { describe, expect, test } from 'vitest'
import { silentLog } from '../../../src/log.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import { get } from '../../support/http.ts'
import { echoPath, recordLog, sendRaw, startListener } from './listener_setup.ts'

describe('a listener', () => {
  test('serves requests until it is stopped', async () => {
    await using listener = await startListener()
    expect(listener.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await get(`${listener.url}/metrics?a=b`)).text).toBe('handled /metrics?a=b')
    await listener.stop()
    await expect(get(`${listener.url}/metrics`)).rejects.toThrow('ECONNREFUSED')
  })

  test.each([
    [':0', /^http:\/\/(localhost|127\.0\.0\.1):\d+$/],
    ['0.0.0.0:0', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['localhost:0', /^http:\/\/localhost:\d+$/],
  ])('on %s has a URL that works', async (address, url) => {
    await using listener = await startListener({ address })
    expect(listener.url).toMatch(url)
    expect((await get(`${listener.url}/metrics`)).status).toBe(200)
  })

  test('rejects an invalid address before the start', () => {
    const options = { handler: echoPath, log: silentLog }
    expect(() => createListener({ ...options, address: '9438' })).toThrow("listen address '9438'")
  })

  test('logs errors of the handler and does not send them to the client', async () => {
    const log = recordLog()
    const handler = (request: { url?: string | undefined }) => {
      if (request.url === '/now') throw new Error('broken at /srv/x')
      return Promise.reject(new Error('broken at /srv/x'))
    }
    await using listener = await startListener({ handler, log })
    for (const path of ['/now', '/later?secret=1']) {
      const { status, text } = await get(`${listener.url}${path}`)
      expect({ status, text }).toEqual({ status: 500, text: 'internal server error\n' })
    }
    expect(log.lines).toEqual([
      'error request failed {"path":"/now","reason":"broken at /srv/x"}',
      'error request failed {"path":"/later","reason":"broken at /srv/x"}',
    ])
  })

  test('closes the connection if the handler fails during the response', async () => {
    await using listener = await startListener({
      handler: async (_request, response) => {
        response.writeHead(200, { 'Content-Length': 100 })
        await new Promise((sent) => response.write('half', sent))
        throw new Error('midway')
      },
    })
    const answer = await sendRaw(listener.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1.1 200 OK.*\r\n\r\nhalf$/s)
  })

  test('sends nosniff even if the handler removed headers, and keeps headers of the handler', async () => {
    await using listener = await startListener({
      handler: (request, response) => {
        for (const name of response.getHeaderNames()) response.removeHeader(name)
        if (request.url === '/own') response.setHeader('X-Content-Type-Options', 'own')
        response.writeHead(request.url === '/array' ? 404 : 200, ['Content-Type', 'text/plain']).end()
      },
    })
    const nosniff = async (path: string) =>
      (await get(`${listener.url}${path}`)).headers['x-content-type-options']
    expect(await nosniff('/')).toBe('nosniff')
    expect(await nosniff('/array')).toBe('nosniff')
    expect(await nosniff('/own')).toBe('own')
  })

  test('can be stopped before and during its start, and twice', async () => {
    const options = { address: '127.0.0.1:0', handler: echoPath, log: silentLog }
    await createListener(options).stop()
    const listener = createListener(options)
    const starting = listener.start()
    await Promise.all([listener.stop(), listener.stop(), starting])
    await expect(get(listener.url)).rejects.toThrow('ECONNREFUSED')
  })
})
