import { get } from 'node:http'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { createListener } from '../../src/server/listener.ts'

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).once('error', reject)
  })
}

describe('a listener', () => {
  test('serves its handler until it is stopped', async () => {
    const listener = createListener({
      address: '127.0.0.1:0',
      handler: (_request, response) => response.end('hello'),
      openPaths: [],
      log: silentLog,
    })
    await listener.start()
    const { url } = listener
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await statusOf(`${url}/metrics`)).toBe(200)
    await listener.stop()
    await listener.stop()
    await expect(statusOf(url)).rejects.toThrow('ECONNREFUSED')
  })
})
