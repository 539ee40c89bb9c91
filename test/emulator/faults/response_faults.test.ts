import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Emulator } from '../../support/programs/emulator.ts'
import { type CallOptions, call, callRaw, feedPath, login, type Response, startEmulator } from '../client.ts'

const FEED = 'dataType=current'

async function withFault(fault: string, options: CallOptions = {}): Promise<Response> {
  const emulator = await startEmulator({ faults: [fault] })
  return call(emulator, feedPath(emulator, FEED), options)
}

async function healthyText(): Promise<string> {
  const emulator = await startEmulator()
  return (await call(emulator, feedPath(emulator, FEED))).text
}

describe('fault status', () => {
  test('responds with an error in the requested format, and with Retry-After', async () => {
    const response = await withFault('status:503,retry-after=30')
    expect(response.status).toBe(503)
    expect(response.headers['retry-after']).toBe('30')
    expect(response.json()).toMatchObject({ code: 6000, retryable: true })
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
    const response = await withFault(fault)
    expect(response.status).toBe(status)
    expect(response.json()).toMatchObject(body)
  })

  test.each([
    ['xml', 'application/xml', /^<\?xml .*<error>/],
    ['json', 'application/json', /^\{"code"/],
    ['html', 'text/html', /^<html>/],
    ['none', undefined, /^$/],
  ])('body=%s', async (form, type, text) => {
    const response = await withFault(`status:500,body=${form}`)
    expect(response.headers['content-type']).toBe(type)
    expect(response.text).toMatch(text)
  })

  test('the storage system does not process the request', async () => {
    const emulator = await startEmulator({ faults: ['status:503@delete'] })
    const path = '/vdc/admin/authnproviders'
    const [{ id }] = (await call(emulator, `${path}.json`)).json().authnprovider
    const response = await call(emulator, `${path}/${id}`, { method: 'DELETE', token: 'emulator-security' })
    expect(response.status).toBe(503)
    expect((await call(emulator, `${path}.json`)).json().authnprovider).toHaveLength(4)
  })
})

describe('redirects', () => {
  test('redirect-login: to the login of this system', async () => {
    const response = await withFault('redirect-login')
    expect(response.status).toBe(302)
    expect(response.headers['location']).toMatch(/^\/login\?service=%2Fdashboard%2F.*dataType%3Dcurrent$/)
  })

  test('redirect-login: to the login of another origin', async () => {
    const response = await withFault('redirect-login:https://other.example:4443')
    expect(response.headers['location']).toMatch(/^https:\/\/other\.example:4443\/login\?service=/)
  })

  test('redirect-other', async () => {
    expect((await withFault('redirect-other')).headers['location']).toBe('/elsewhere')
    const response = await withFault('redirect-other:https://portal.example/')
    expect([response.status, response.headers['location']]).toEqual([302, 'https://portal.example/'])
  })
})

describe('bodies', () => {
  test('html', async () => {
    const response = await withFault('html')
    expect([response.status, response.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(response.text).toMatch(/^<!DOCTYPE html>/)
  })

  test('wrong-content-type', async () => {
    const response = await withFault('wrong-content-type')
    expect(response.headers['content-type']).toBe('text/plain')
    expect(response.text).toBe(await healthyText())
    expect((await withFault('wrong-content-type:application/xml')).headers['content-type']).toBe(
      'application/xml',
    )
  })

  test('empty', async () => {
    const response = await withFault('empty')
    expect([response.status, response.text]).toEqual([200, ''])
  })

  test('gzip', async () => {
    const response = await withFault('gzip')
    expect(response.headers['content-encoding']).toBe('gzip')
    expect(response.headers['content-length']).toBe(String(response.bytes.length))
    expect(gunzipSync(response.bytes).toString()).toBe(await healthyText())
  })

  test('gzip-cut', async () => {
    const response = await withFault('gzip-cut')
    expect(response.headers['content-length']).toBe(String(response.bytes.length))
    expect(() => gunzipSync(response.bytes)).toThrow('unexpected end of file')
  })

  test('gzip-bomb', async () => {
    const response = await withFault('gzip-bomb:50')
    expect(response.bytes.length).toBeLessThan(100_000)
    expect(gunzipSync(response.bytes).length).toBe(50_000_000)
  })

  test('unknown-encoding', async () => {
    expect((await withFault('unknown-encoding')).headers['content-encoding']).toBe('br')
    const response = await withFault('unknown-encoding:gzip, gzip')
    expect(response.headers['content-encoding']).toBe('gzip, gzip')
    expect(response.text).toBe(await healthyText())
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
    const response = await withFault('big-headers:5')
    expect(String(response.headers['x-padding']).length).toBe(5_000)
    await expect(withFault('big-headers')).rejects.toThrow('Header overflow')
  })
})

describe('expire-tokens', () => {
  const whoami = (emulator: Emulator, token: string) => call(emulator, '/user/whoami', { token })

  test('revokes all tokens; a new login creates a valid token', async () => {
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

  test('expire-tokens:2 revokes each token after two requests', async () => {
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
  test('an operation', async () => {
    const emulator = await startEmulator({ faults: ['status:503@forecast'] })
    const statusOf = async (query: string) => (await call(emulator, feedPath(emulator, query))).status
    expect(await statusOf('category=capacityForecast')).toBe(503)
    expect(await statusOf('dataType=current')).toBe(200)
    expect(await statusOf('dataType=historical')).toBe(200)
    expect((await call(emulator, '/user/whoami')).status).toBe(200)
  })

  test.each(['name', 'id'] as const)('a pool, by its %s', async (member) => {
    const emulator = await startEmulator()
    emulator.setFaults([`empty@pool=${emulator.pools[1]?.[member]}`])
    expect((await call(emulator, feedPath(emulator, FEED, 0))).text).not.toBe('')
    expect((await call(emulator, feedPath(emulator, FEED, 1))).text).toBe('')
    expect((await call(emulator, '/vdc/nodes')).text).not.toBe('')
  })

  test('first=2', async () => {
    const emulator = await startEmulator({ faults: ['status:500@nodes,first=2'] })
    await call(emulator, '/user/whoami')
    const statuses = []
    for (let count = 0; count < 4; count++)
      statuses.push((await call(emulator, feedPath(emulator, FEED))).status)
    expect(statuses).toEqual([500, 500, 200, 200])
  })

  test('several faults are combined, and removed by setFaults([])', async () => {
    const emulator = await startEmulator({ faults: ['bom', 'wrong-content-type', 'vanished-node'] })
    const response = await call(emulator, feedPath(emulator, FEED))
    expect(response.headers['content-type']).toBe('text/plain')
    expect(JSON.parse(response.bytes.subarray(3).toString())._embedded.instances).toHaveLength(4)
    emulator.setFaults([])
    expect((await call(emulator, feedPath(emulator, FEED))).text).toBe(await healthyText())
  })

  test('two faults that set the same header send it once', async () => {
    const emulator = await startEmulator({ faults: ['wrong-content-type', 'truncate:close'] })
    const { bytes, ended } = callRaw(emulator, feedPath(emulator, FEED))
    await ended
    const head = bytes().toString().split('\r\n\r\n')[0]
    expect(head?.match(/content-type: .*/gi)).toEqual(['content-type: text/plain'])
  })
})
