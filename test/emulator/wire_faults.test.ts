import { Agent, request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call, callRaw, feedPath, firstChunks, startEmulator } from './client.ts'

const FEED = 'dataType=current'

async function raw(fault: string, quietMs?: number) {
  const emulator = await startEmulator({ faults: [fault] })
  const { bytes, ended } = await callRaw(emulator, feedPath(emulator, FEED), quietMs)
  const text = bytes.toString()
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return { emulator, head: head.toLowerCase(), body: rest.join('\r\n\r\n'), bytes, ended }
}

/** For answers that end by themselves: the wait is over with the end, not with a moment of silence. */
const UNTIL_ENDED_MS = 10_000

function lengthIn(head: string): number {
  return Number(/content-length: (\d+)/.exec(head)?.[1])
}

describe('the connection', () => {
  test('reset: ends without an answer', async () => {
    const { bytes, ended, emulator } = await raw('reset', UNTIL_ENDED_MS)
    expect([bytes.length, ended]).toEqual([0, true])
    await expect(call(emulator, '/user/whoami')).rejects.toThrow('socket hang up')
  })

  test('half-open: is taken, and nothing comes', async () => {
    const { bytes, ended } = await raw('half-open')
    expect([bytes.length, ended]).toEqual([0, false])
  })

  test('slow-headers: nothing comes, and then everything', async () => {
    expect((await raw('slow-headers:30')).bytes.length).toBe(0)
    const { head, body, ended } = await raw('slow-headers:0.05', 2_000)
    expect(head).toMatch(/^http\/1\.1 200 ok/)
    expect([body.length, ended]).toEqual([lengthIn(head), true])
  })

  test('slow-body: comes byte by byte', async () => {
    const emulator = await startEmulator({ faults: ['slow-body:0.05'] })
    const chunks = await firstChunks(emulator, feedPath(emulator, FEED), (_bytes, count) => count === 4)
    // Four chunks of a body that is sent at once would be thousands of bytes.
    expect(Buffer.concat(chunks).length).toBeLessThan(100)
  })

  test('stall: half of it comes, and it stays open', async () => {
    const { head, body, ended } = await raw('stall')
    expect(body.length).toBe(Math.floor(lengthIn(head) / 2))
    expect(ended).toBe(false)
  })

  test('truncate: half of the announced length comes', async () => {
    const { head, body, ended, emulator } = await raw('truncate', UNTIL_ENDED_MS)
    expect(body.length).toBe(Math.floor(lengthIn(head) / 2))
    expect(ended).toBe(true)
    await expect(call(emulator, feedPath(emulator, FEED))).rejects.toThrow('aborted')
  })

  test('truncate:chunked: the last chunk is missing', async () => {
    const { head, body, ended, emulator } = await raw('truncate:chunked', UNTIL_ENDED_MS)
    expect(head).toContain('transfer-encoding: chunked')
    expect(head).not.toContain('content-length')
    expect(body).not.toMatch(/\r\n0\r\n\r\n$/)
    expect(ended).toBe(true)
    await expect(call(emulator, feedPath(emulator, FEED))).rejects.toThrow('aborted')
  })

  test('truncate:close: looks complete, and is not', async () => {
    const { head, emulator } = await raw('truncate:close', UNTIL_ENDED_MS)
    expect(head).not.toMatch(/content-length|chunked/)
    const reply = await call(emulator, feedPath(emulator, FEED))
    expect(reply.status).toBe(200)
    expect(reply.text).toMatch(/^\{"title"/)
    expect(() => reply.json()).toThrow()
  })

  test('too-large: is as long as announced, and still JSON', async () => {
    const emulator = await startEmulator({ faults: ['too-large:20'] })
    const reply = await call(emulator, feedPath(emulator, FEED))
    expect(reply.headers['content-length']).toBe('20000000')
    expect(reply.bytes.length).toBe(20_000_000)
    expect(reply.json()._embedded.instances).toHaveLength(5)
  })

  test('endless: does not end', async () => {
    const emulator = await startEmulator({ faults: ['endless'] })
    const chunks = await firstChunks(emulator, feedPath(emulator, FEED), (bytes) => bytes > 30_000_000)
    expect(Buffer.concat(chunks.slice(-2)).toString()).toMatch(/^ +$/)
    emulator.setFaults([])
    expect((await call(emulator, '/user/whoami')).status).toBe(200)
  })

  test('hang-up: is over, though it was to be kept', async () => {
    const emulator = await startEmulator({ faults: ['hang-up'] })
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const { hostname, port } = new URL(emulator.url)
    const closed = new Promise<{ connection: string | undefined; length: number }>((resolve, reject) => {
      const sent = request({ hostname, port, path: '/login', agent }, (response) => {
        let length = 0
        response.on('data', (chunk: Buffer) => {
          length += chunk.length
        })
        sent.socket?.on('close', () => resolve({ connection: response.headers.connection, length }))
      })
      sent.on('error', reject)
      sent.end()
    })
    expect(await closed).toEqual({ connection: 'keep-alive', length: expect.any(Number) })
    expect((await closed).length).toBeGreaterThan(100)
  })

  test('garbage: is not HTTP', async () => {
    const { bytes, emulator } = await raw('garbage', UNTIL_ENDED_MS)
    expect(bytes.length).toBeGreaterThan(10)
    expect(bytes.toString('latin1')).not.toMatch(/^HTTP/)
    await expect(call(emulator, '/user/whoami')).rejects.toThrow('Parse Error')
  })
})

describe('the storage system', () => {
  test('has done what it was asked for, though the answer is lost', async () => {
    const emulator = await startEmulator({ faults: ['reset@delete'] })
    const list = '/vdc/admin/authnproviders'
    const [{ id }] = (await call(emulator, `${list}.json`)).json().authnprovider
    const options = { method: 'DELETE', token: 'emulator-security' }
    await expect(call(emulator, `${list}/${id}`, options)).rejects.toThrow()
    expect((await call(emulator, `${list}.json`)).json().authnprovider).toHaveLength(3)
  })

  test.each(['half-open', 'stall', 'slow-headers:60', 'slow-body:60', 'endless'])(
    'stops at once while %s is going on',
    async (fault) => {
      const emulator = await startEmulator({ faults: [fault] })
      const reply = call(emulator, feedPath(emulator, FEED)).then(
        () => 'answered',
        () => 'broken',
      )
      await expect.poll(() => emulator.log.count('nodes')).toBe(1)
      await emulator.stop()
      expect(await reply).toBe('broken')
      expect(emulator.url).toBe('')
    },
  )
})
