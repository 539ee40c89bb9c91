import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { get } from '../support/http.ts'
import { startClient } from './client_setup.ts'
import { serveHttp } from './http/raw_server.ts'
import { never } from './http/responses.ts'

const MEBIBYTE = 1024 ** 2
/** Bodies of a few kilobytes after compression, each of less than 16 MiB. */
const BODIES: readonly (readonly [string, () => string])[] = [
  ['nested lists', () => '['.repeat(15 * MEBIBYTE)],
  ['small objects', () => `{"_embedded":{"_instances":[${'{"id":1},'.repeat(1.5 * MEBIBYTE)}{}]}}`],
  ['elements of XML', () => `<nodes>${'<a/>'.repeat(3.5 * MEBIBYTE)}</nodes>`],
  ['text in XML', () => `<nodes>${'a'.repeat(15 * MEBIBYTE)}</nodes>`],
  ['members', () => `{${Array.from({ length: MEBIBYTE }, (_, index) => `"k${index}":1`).join()}}`],
]

/** A system that answers every request with this body. */
function hostileSystem(text: string) {
  const body = gzipSync(text)
  return serveHttp((_request, response) => {
    response.setHeader('Content-Encoding', 'gzip').end(body)
  })
}

describe('a body that is small and expensive to parse', () => {
  test.each(BODIES)('%s is refused, and takes little memory', async (_, make) => {
    await using system = await hostileSystem(make())
    await using setup = startClient(`{name: a, base_url: "${system.url}", auth: {token: t}}`)
    const before = process.memoryUsage().heapUsed
    const inventory = { operation: 'inventory', path: '/vdc/nodes' } as const
    const failure = await setup.client.resource(inventory, () => '', never()).catch((cause: unknown) => cause)
    expect(failure).toMatchObject({ reason: 'too_large' })
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * MEBIBYTE)
  })

  test('other requests are served while it is decoded', async () => {
    await using system = await hostileSystem(BODIES[1]?.[1]() ?? '')
    await using other = await serveHttp((_request, response) => response.end('served'))
    await using setup = startClient(`{name: a, base_url: "${system.url}", auth: {token: t}}`)
    let served = 0
    let done = false
    const polls = Promise.allSettled(Array.from({ length: 8 }, () => setup.client.nodes('p', never()))).then(
      () => {
        done = true
      },
    )
    while (!done) {
      await get(other.url)
      if (!done) served += 1
    }
    await polls
    expect(served).toBeGreaterThan(0)
  })
})
