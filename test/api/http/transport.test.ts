import { describe, expect, test } from 'vitest'
import { createTransport, type HttpLimits, type Transport } from '../../../src/api/http/transport.ts'
import { createSemaphore } from '../../../src/api/http/waiting.ts'
import { selfSigned } from '../../../src/emulator/certificates.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { startEmulator } from '../client_setup.ts'
import { type RawServer, serveRaw } from './raw_server.ts'

const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`
const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\n\r\n'
const ANSWER = `${OK}Content-Length: 2\r\n\r\n{}`

function transportTo(httpLimits?: HttpLimits, caFile?: string): Transport & AsyncDisposable {
  const transport = createTransport({
    tls: {
      caFile,
      certFile: undefined,
      keyFile: undefined,
      serverName: undefined,
      insecureSkipVerify: false,
    },
    timeoutMs: 60_000,
    concurrency: 1,
    maxResponseBytes: 1_000_000,
    onCertificate: () => undefined,
    ...(httpLimits !== undefined && { httpLimits }),
  })
  return { ...transport, [Symbol.asyncDispose]: transport.close }
}

/** A server that answers every request with the text. */
function answering(text: string): Promise<RawServer> {
  return serveRaw((socket) => socket.on('data', () => socket.write(text)))
}

function get(transport: Transport, baseUrl: string, signal = new AbortController().signal) {
  return transport.send({ baseUrl, method: 'GET', path: '/', headers: {}, signal })
}

describe('headers beyond the limit', () => {
  const ANSWERS = 2
  /** Mean milliseconds of CPU time of two answers. */
  async function cpuOf(text: string): Promise<number> {
    await using server = await answering(text)
    await using transport = transportTo()
    const before = process.threadCpuUsage()
    for (let count = 0; count < ANSWERS; count += 1) {
      await expect(get(transport, server.url)).rejects.toMatchObject({ reason: 'reset' })
    }
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000 / ANSWERS
  }

  test.each([
    ['headers', OK],
    ['trailers', CHUNKED],
  ])('%s take less than 500 ms of CPU time, however many follow', async (_, head) => {
    expect(await cpuOf(head + 'a:\r\n'.repeat(256 * 1024))).toBeLessThan(500)
  })
})

describe('informational answers', () => {
  test('are skipped', async () => {
    await using server = await answering(EARLY_HINTS.repeat(20) + ANSWER)
    await using transport = transportTo()
    expect((await get(transport, server.url)).status).toBe(200)
  })

  test('end the exchange when there are more than twenty', async () => {
    await using server = await answering(EARLY_HINTS.repeat(21) + ANSWER)
    await using transport = transportTo()
    await expect(get(transport, server.url)).rejects.toMatchObject({
      reason: 'reset',
      detail: expect.stringContaining('1xx'),
    })
  })
})

describe('a body in chunks of one byte', () => {
  const chunks = (count: number) => `${OK}Transfer-Encoding: chunked\r\n\r\n${'1\r\n1\r\n'.repeat(count)}`

  test('is read', async () => {
    await using server = await answering(`${chunks(1_000)}0\r\n\r\n`)
    await using transport = transportTo()
    const response = await get(transport, server.url)
    expect(await response.decode((text) => text)).toBe('1'.repeat(1_000))
  })

  test('is refused beyond the maximum of chunks, after little CPU time', async () => {
    await using server = await answering(chunks(900_000))
    await using transport = transportTo()
    const before = process.threadCpuUsage()
    await expect(get(transport, server.url)).rejects.toMatchObject({
      reason: 'too_large',
      detail: expect.stringContaining('chunks'),
    })
    const { user, system } = process.threadCpuUsage(before)
    expect(user + system).toBeLessThan(500_000)
  })
})

test.each(['000', '099', '101'])(
  'a response with the status %s is no fault of the exporter',
  async (status) => {
    await using server = await answering(`HTTP/1.1 ${status} X\r\nContent-Length: 2\r\n\r\n{}`)
    await using transport = transportTo()
    await expect(get(transport, server.url)).rejects.toMatchObject({
      reason: 'reset',
      detail: expect.stringContaining('not HTTP'),
    })
  },
)

test('an abort ends a request that waits for its lookup', async () => {
  const lookup = () => new Promise<never>(() => undefined)
  await using transport = transportTo({ decoding: createSemaphore(1), lookup })
  const controller = new AbortController()
  const waiting = get(transport, 'http://ecs1.example.net', controller.signal)
  controller.abort()
  await expect(waiting).rejects.toThrow('aborted')
})

test('the certificates of a file are trusted, and a file that cannot be read is named', async () => {
  using folder = temporaryFolder()
  const tls = await selfSigned({ names: ['127.0.0.1'] })
  await using emulator = await startEmulator({ tls })
  const statusWith = async (caFile: string | undefined) => {
    await using transport = transportTo(undefined, caFile)
    return (await get(transport, emulator.url)).status
  }
  await expect(statusWith(undefined)).rejects.toMatchObject({ reason: 'tls' })
  expect(await statusWith(folder.write('ca.pem', tls.cert))).toBe(404)
  await expect(statusWith('/missing/ca.pem')).rejects.toMatchObject({
    reason: 'local',
    detail: 'the file /missing/ca.pem of tls_config cannot be read: no such file',
  })
})
