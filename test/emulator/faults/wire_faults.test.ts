import { describe, expect, test } from 'vitest'
import { waitFor } from '../../support/wait.ts'
import { call, callRaw, feedPath, firstChunks, startEmulator } from '../client.ts'

const FEED = 'dataType=current'

function parts(bytes: Buffer) {
  const [head = '', ...rest] = bytes.toString().split('\r\n\r\n')
  return { head: head.toLowerCase(), body: rest.join('\r\n\r\n') }
}

/** A response after which the connection ends. */
async function raw(fault: string) {
  const emulator = await startEmulator({ faults: [fault] })
  const { bytes, ended } = callRaw(emulator, feedPath(emulator, FEED))
  await ended
  return { emulator, ...parts(bytes()), bytes: bytes() }
}

/** A response on a connection that stays open, read after three later requests are complete. */
async function rawAfterLaterRequests(fault: string, hasStarted: (bytes: Buffer) => boolean = () => true) {
  const emulator = await startEmulator({ faults: [`${fault}@nodes`] })
  const { bytes, hasEnded } = callRaw(emulator, feedPath(emulator, FEED))
  await waitFor(() => emulator.log.count('nodes') === 1 && hasStarted(bytes()), {
    what: 'the start of the response',
  })
  for (let later = 0; later < 3; later += 1) expect((await call(emulator, '/user/whoami')).status).toBe(200)
  return { ...parts(bytes()), bytes: bytes(), hasEnded: hasEnded() }
}

function lengthIn(head: string): number {
  return Number(/content-length: (\d+)/.exec(head)?.[1])
}

describe('the connection', () => {
  test('reset: the connection ends without a response', async () => {
    const { bytes, emulator } = await raw('reset')
    expect(bytes.length).toBe(0)
    await expect(call(emulator, '/user/whoami')).rejects.toThrow('socket hang up')
  })

  test('half-open: the connection stays open without a response', async () => {
    const { bytes, hasEnded } = await rawAfterLaterRequests('half-open')
    expect([bytes.length, hasEnded]).toEqual([0, false])
  })

  test('slow-headers: the complete response is delayed', async () => {
    const { bytes, hasEnded } = await rawAfterLaterRequests('slow-headers:600')
    expect([bytes.length, hasEnded]).toEqual([0, false])
    const { head, body } = await raw('slow-headers:0.05')
    expect(head).toMatch(/^http\/1\.1 200 ok/)
    expect(body.length).toBe(lengthIn(head))
  })

  test('slow-body: the body is sent byte by byte', async () => {
    const emulator = await startEmulator({ faults: ['slow-body:0.05'] })
    const chunks = await firstChunks(emulator, feedPath(emulator, FEED), (_bytes, count) => count === 4)
    // Four chunks of a body that is sent at once have thousands of bytes.
    expect(Buffer.concat(chunks).length).toBeLessThan(100)
  })

  test('stall: half of the body is sent, and the connection stays open', async () => {
    const isHalf = (bytes: Buffer) => {
      const { head, body } = parts(bytes)
      return body.length >= Math.floor(lengthIn(head) / 2)
    }
    const { head, body, hasEnded } = await rawAfterLaterRequests('stall', isHalf)
    expect(body.length).toBe(Math.floor(lengthIn(head) / 2))
    expect(hasEnded).toBe(false)
  })

  test('truncate: half of Content-Length is sent', async () => {
    const { head, body, emulator } = await raw('truncate')
    expect(body.length).toBe(Math.floor(lengthIn(head) / 2))
    await expect(call(emulator, feedPath(emulator, FEED))).rejects.toThrow('aborted')
  })

  test('truncate:chunked: the last chunk is missing', async () => {
    const { head, body, emulator } = await raw('truncate:chunked')
    expect(head).toContain('transfer-encoding: chunked')
    expect(head).not.toContain('content-length')
    expect(body).not.toMatch(/\r\n0\r\n\r\n$/)
    await expect(call(emulator, feedPath(emulator, FEED))).rejects.toThrow('aborted')
  })

  test('truncate:close: the truncated body looks complete', async () => {
    const { head, emulator } = await raw('truncate:close')
    expect(head).not.toMatch(/content-length|chunked/)
    const response = await call(emulator, feedPath(emulator, FEED))
    expect(response.status).toBe(200)
    expect(response.text).toMatch(/^\{"title"/)
    expect(() => response.json()).toThrow()
  })

  test('too-large: the length matches Content-Length, and the body is valid JSON', async () => {
    const emulator = await startEmulator({ faults: ['too-large:20'] })
    const response = await call(emulator, feedPath(emulator, FEED))
    expect(response.headers['content-length']).toBe('20000000')
    expect(response.bytes.length).toBe(20_000_000)
    expect(response.json()._embedded.instances).toHaveLength(5)
  })

  test('endless: the body does not end', async () => {
    const emulator = await startEmulator({ faults: ['endless'] })
    const chunks = await firstChunks(emulator, feedPath(emulator, FEED), (bytes) => bytes > 30_000_000)
    expect(Buffer.concat(chunks.slice(-2)).toString()).toMatch(/^ +$/)
    emulator.setFaults([])
    expect((await call(emulator, '/user/whoami')).status).toBe(200)
  })

  test('garbage: the bytes are not HTTP', async () => {
    const { bytes, emulator } = await raw('garbage')
    expect(bytes.length).toBeGreaterThan(10)
    expect(bytes.toString('latin1')).not.toMatch(/^HTTP/)
    await expect(call(emulator, '/user/whoami')).rejects.toThrow('Parse Error')
  })
})

describe('the storage system', () => {
  test('processes a request although its response is lost', async () => {
    const emulator = await startEmulator({ faults: ['reset@delete'] })
    const list = '/vdc/admin/authnproviders'
    const [{ id }] = (await call(emulator, `${list}.json`)).json().authnprovider
    const options = { method: 'DELETE', token: 'emulator-security' }
    await expect(call(emulator, `${list}/${id}`, options)).rejects.toThrow()
    expect((await call(emulator, `${list}.json`)).json().authnprovider).toHaveLength(3)
  })

  test.each(['half-open', 'stall', 'slow-headers:60', 'slow-body:60', 'endless'])(
    'stops at once during fault %s',
    async (fault) => {
      const emulator = await startEmulator({ faults: [fault] })
      const response = call(emulator, feedPath(emulator, FEED)).then(
        () => 'complete',
        () => 'failed',
      )
      await expect.poll(() => emulator.log.count('nodes')).toBe(1)
      await emulator.stop()
      expect(await response).toBe('failed')
      expect(emulator.url).toBe('')
    },
  )
})
