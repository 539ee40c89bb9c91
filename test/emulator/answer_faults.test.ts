import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Emulator } from '../../src/emulator/emulator.ts'
import { type CallOptions, call, callRaw, feedPath, login, type Reply, startEmulator } from './client.ts'

const FEED = 'dataType=current'

async function withFault(fault: string, options: CallOptions = {}): Promise<Reply> {
  const emulator = await startEmulator({ faults: [fault] })
  return call(emulator, feedPath(emulator, FEED), options)
}

async function healthyText(): Promise<string> {
  const emulator = await startEmulator()
  return (await call(emulator, feedPath(emulator, FEED))).text
}

describe('fault status', () => {
  test('answers with an error of the asked format, and how long to wait', async () => {
    const reply = await withFault('status:503,retry-after=30')
    expect(reply.status).toBe(503)
    expect(reply.headers['retry-after']).toBe('30')
    expect(reply.json()).toMatchObject({ code: 6000, retryable: true })
    const xml = await withFault('status:503', { headers: { accept: 'application/xml' } })
    expect(xml.headers['retry-after']).toBeUndefined()
    expect(xml.text).toContain('<code>6000</code>')
  })

  test.each([
    [
      'status:500,code=6401,retryable=false',
      500,
      { code: 6401, description: 'Insufficient permissions', retryable: false },
    ],
    ['status:500', 500, { code: 999, retryable: true }],
    ['status:403', 403, { code: 3000, retryable: false }],
    ['status:404,body=json', 404, { code: 2000, retryable: false }],
    ['status:429,retry-after=5', 429, { code: 999, retryable: false }],
  ])('%s', async (fault, status, body) => {
    const reply = await withFault(fault)
    expect(reply.status).toBe(status)
    expect(reply.json()).toMatchObject(body)
  })

  test.each([
    ['xml', 'application/xml', /^<\?xml .*<error>/],
    ['json', 'application/json', /^\{"code"/],
    ['html', 'text/html', /^<html>/],
    ['none', undefined, /^$/],
  ])('has a body of the wanted form: %s', async (form, type, text) => {
    const reply = await withFault(`status:500,body=${form}`)
    expect(reply.headers['content-type']).toBe(type)
    expect(reply.text).toMatch(text)
  })

  test('keeps the request from the storage system', async () => {
    const emulator = await startEmulator({ faults: ['status:503@delete'] })
    const path = '/vdc/admin/authnproviders'
    const [{ id }] = (await call(emulator, `${path}.json`)).json().authnprovider
    const reply = await call(emulator, `${path}/${id}`, { method: 'DELETE', token: 'emulator-security' })
    expect(reply.status).toBe(503)
    expect((await call(emulator, `${path}.json`)).json().authnprovider).toHaveLength(4)
  })
})

describe('redirects', () => {
  test('to the login of this system', async () => {
    const reply = await withFault('redirect-login')
    expect(reply.status).toBe(302)
    expect(reply.headers['location']).toMatch(/^\/login\?service=%2Fdashboard%2F.*dataType%3Dcurrent$/)
  })

  test('to the login of another', async () => {
    const reply = await withFault('redirect-login:https://other.example:4443')
    expect(reply.headers['location']).toMatch(/^https:\/\/other\.example:4443\/login\?service=/)
  })

  test('to somewhere else', async () => {
    expect((await withFault('redirect-other')).headers['location']).toBe('/elsewhere')
    const reply = await withFault('redirect-other:https://portal.example/')
    expect([reply.status, reply.headers['location']]).toEqual([302, 'https://portal.example/'])
  })
})

describe('bodies', () => {
  test('html', async () => {
    const reply = await withFault('html')
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(reply.text).toMatch(/^<!DOCTYPE html>/)
  })

  test('wrong-content-type', async () => {
    const reply = await withFault('wrong-content-type')
    expect(reply.headers['content-type']).toBe('text/plain')
    expect(reply.text).toBe(await healthyText())
    expect((await withFault('wrong-content-type:application/xml')).headers['content-type']).toBe(
      'application/xml',
    )
  })

  test('empty', async () => {
    const reply = await withFault('empty')
    expect([reply.status, reply.text]).toEqual([200, ''])
  })

  test('gzip', async () => {
    const reply = await withFault('gzip')
    expect(reply.headers['content-encoding']).toBe('gzip')
    expect(reply.headers['content-length']).toBe(String(reply.bytes.length))
    expect(gunzipSync(reply.bytes).toString()).toBe(await healthyText())
  })

  test('gzip-cut', async () => {
    const reply = await withFault('gzip-cut')
    expect(reply.headers['content-length']).toBe(String(reply.bytes.length))
    expect(() => gunzipSync(reply.bytes)).toThrow('unexpected end of file')
  })

  test('gzip-bomb', async () => {
    const reply = await withFault('gzip-bomb:50')
    expect(reply.bytes.length).toBeLessThan(100_000)
    expect(gunzipSync(reply.bytes).length).toBe(50_000_000)
  })

  test('unknown-encoding', async () => {
    expect((await withFault('unknown-encoding')).headers['content-encoding']).toBe('br')
    const reply = await withFault('unknown-encoding:gzip, gzip')
    expect(reply.headers['content-encoding']).toBe('gzip, gzip')
    expect(reply.text).toBe(await healthyText())
  })

  test('bad-utf8', async () => {
    const { bytes } = await withFault('bad-utf8')
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow()
    expect(JSON.parse(bytes.toString())._embedded.instances[0].displayName).toContain('\ufffd')
  })

  test('bom', async () => {
    const { bytes } = await withFault('bom')
    expect([...bytes.subarray(0, 4)]).toEqual([0xef, 0xbb, 0xbf, '{'.charCodeAt(0)])
  })

  test('big-headers', async () => {
    const reply = await withFault('big-headers:5')
    expect(String(reply.headers['x-padding']).length).toBe(5_000)
    await expect(withFault('big-headers')).rejects.toThrow('Header overflow')
  })
})

describe('expire-tokens', () => {
  const whoami = (emulator: Emulator, token: string) => call(emulator, '/user/whoami', { token })

  test('kills every token now; a new login brings a good one', async () => {
    const emulator = await startEmulator()
    const old = (await login(emulator)) ?? ''
    emulator.setFaults(['expire-tokens'])
    expect((await whoami(emulator, old)).status).toBe(401)
    expect((await whoami(emulator, 'emulator-monitor')).status).toBe(401)
    const fresh = (await login(emulator)) ?? ''
    for (let count = 0; count < 3; count++) expect((await whoami(emulator, fresh)).status).toBe(200)
    emulator.setFaults([])
    expect((await whoami(emulator, 'emulator-monitor')).status).toBe(200)
    expect((await whoami(emulator, old)).status).toBe(401)
  })

  test('kills each token after so many requests', async () => {
    const emulator = await startEmulator({ faults: ['expire-tokens:2'] })
    const token = (await login(emulator)) ?? ''
    const statuses = []
    for (let count = 0; count < 4; count++) statuses.push((await whoami(emulator, token)).status)
    expect(statuses).toEqual([200, 200, 401, 401])
    emulator.setFaults(['expire-tokens:1'])
    expect((await whoami(emulator, token)).status).toBe(401)
    expect((await whoami(emulator, (await login(emulator)) ?? '')).status).toBe(200)
  })
})

describe('targets', () => {
  test('one operation', async () => {
    const emulator = await startEmulator({ faults: ['status:503@forecast'] })
    const statusOf = async (query: string) => (await call(emulator, feedPath(emulator, query))).status
    expect(await statusOf('category=capacityForecast')).toBe(503)
    expect(await statusOf('dataType=current')).toBe(200)
    expect(await statusOf('dataType=historical')).toBe(200)
    expect((await call(emulator, '/user/whoami')).status).toBe(200)
  })

  test.each(['name', 'id'] as const)('one pool, by its %s', async (member) => {
    const emulator = await startEmulator()
    emulator.setFaults([`empty@pool=${emulator.pools[1]?.[member]}`])
    expect((await call(emulator, feedPath(emulator, FEED, 0))).text).not.toBe('')
    expect((await call(emulator, feedPath(emulator, FEED, 1))).text).toBe('')
    expect((await call(emulator, '/vdc/nodes')).text).not.toBe('')
  })

  test('the first requests', async () => {
    const emulator = await startEmulator({ faults: ['status:500@nodes,first=2'] })
    await call(emulator, '/user/whoami')
    const statuses = []
    for (let count = 0; count < 4; count++)
      statuses.push((await call(emulator, feedPath(emulator, FEED))).status)
    expect(statuses).toEqual([500, 500, 200, 200])
  })

  test('several faults at once, and none after they are taken back', async () => {
    const emulator = await startEmulator({ faults: ['bom', 'wrong-content-type', 'vanished-node'] })
    const reply = await call(emulator, feedPath(emulator, FEED))
    expect(reply.headers['content-type']).toBe('text/plain')
    expect(JSON.parse(reply.bytes.subarray(3).toString())._embedded.instances).toHaveLength(4)
    emulator.setFaults([])
    expect((await call(emulator, feedPath(emulator, FEED))).text).toBe(await healthyText())
  })

  test('one header is not sent twice when two faults have to do with it', async () => {
    const emulator = await startEmulator({ faults: ['wrong-content-type', 'truncate:close'] })
    const { bytes, ended } = callRaw(emulator, feedPath(emulator, FEED))
    await ended
    const head = bytes().toString().split('\r\n\r\n')[0]
    expect(head?.match(/content-type: .*/gi)).toEqual(['content-type: text/plain'])
  })
})
