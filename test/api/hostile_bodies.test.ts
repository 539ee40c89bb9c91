import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { pollEverySecond, startExporter } from '../faults/exporter_setup.ts'
import { get } from '../support/http.ts'
import { waitFor } from '../support/wait.ts'
import { monitored, startClient, startEmulator } from './client_setup.ts'
import { serveHttp } from './http/raw_server.ts'
import { never } from './http/responses.ts'

const MEBIBYTE = 1024 ** 2
/** Bodies of a few kilobytes after compression, each of less than 16 MiB. */
const BODIES: readonly (readonly [string, () => string])[] = [
  ['nested lists', () => '['.repeat(15 * MEBIBYTE)],
  ['nested objects', () => '{"a":'.repeat(3 * MEBIBYTE)],
  ['empty objects', () => `[${'{},'.repeat(5 * MEBIBYTE)}{}]`],
  ['small objects', () => `{"_embedded":{"_instances":[${'{"id":1},'.repeat(1.5 * MEBIBYTE)}{}]}}`],
  ['numbers', () => `[${'1,'.repeat(7 * MEBIBYTE)}1]`],
  ['members', () => `{${Array.from({ length: MEBIBYTE }, (_, index) => `"k${index}":1`).join()}}`],
]

/** A system that answers every request with this body. */
function hostileSystem(text: string) {
  const body = gzipSync(text)
  return serveHttp((_request, response) => {
    response.setHeader('Content-Encoding', 'gzip').end(body)
  })
}

/** The YAML of polls every second of these systems, without discovery. */
function polling(systems: readonly string[]): string {
  return `systems: [${systems.join(', ')}]${pollEverySecond()}`
}

describe('a body that is small and expensive to parse', () => {
  test.each(BODIES)('%s is refused, and takes little memory', async (_, make) => {
    await using system = await hostileSystem(make())
    await using setup = startClient(`{name: a, base_url: "${system.url}", auth: {token: t}}`)
    const before = process.memoryUsage().heapUsed
    const failure = await setup.client.nodes('p', never()).catch((cause: unknown) => cause)
    expect(failure).toMatchObject({ reason: 'too_large' })
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * MEBIBYTE)
  })

  test('other requests are served while it is decoded', async () => {
    await using system = await hostileSystem(BODIES[3]?.[1]() ?? '')
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

describe('a hostile system beside another one', () => {
  test('fails alone', async () => {
    await using hostile = await hostileSystem(BODIES[3]?.[1]() ?? '')
    await using emulator = await startEmulator({ pools: 1, nodes: 3 })
    const [pool] = emulator.pools
    const bad = `{name: bad, base_url: "${hostile.url}", auth: {token: t}, pools: [{id: p1}, {id: p2}]}`
    const good = monitored(emulator.url)
    await using exporter = await startExporter(polling([bad, good]))
    await exporter.waitForPolls('p1', 'too_large')
    await exporter.waitForPolls('p2', 'too_large')
    await exporter.waitForPolls(pool?.id ?? '', 'ok', 2)
    expect(await exporter.value('sds_pool_up', { pool_id: pool?.id ?? '' })).toBe(1)
    expect(await exporter.value('sds_pool_up', { pool_id: 'p1' })).toBe(0)
  })

  test('cannot fill the page: the pool that exceeds the limit fails, others keep their values', async () => {
    const nodes = Array.from({ length: 4000 }, (_, id) => ({
      id,
      displayName: `${'x'.repeat(100)}${id}`,
      numDisks: 1,
    }))
    await using hostile = await hostileSystem(JSON.stringify({ _embedded: { _instances: nodes } }))
    const bad = `{name: bad, base_url: "${hostile.url}", auth: {token: t}, pools: [{id: p1}, {id: p2}]}`
    await using exporter = await startExporter(polling([bad]))
    const results = async () =>
      Promise.all(
        ['p1', 'p2'].map(async (pool) => [
          await exporter.polls(pool, 'ok'),
          await exporter.polls(pool, 'too_large'),
        ]),
      )
    await waitFor(async () => (await results()).every(([ok = 0, tooLarge = 0]) => ok + tooLarge > 0), {
      what: 'a poll of both pools',
      timeout: 100_000,
      // Each check is four scrapes of thousands of lines, in the process that polls.
      interval: 500,
    })
    const found = await results()
    expect(found.filter(([ok]) => ok === 0)).toHaveLength(1)
    const lines = (await exporter.scrape()).filter(({ name }) => name === 'sds_node_disks')
    expect(lines).toHaveLength(4000)
  })
})
