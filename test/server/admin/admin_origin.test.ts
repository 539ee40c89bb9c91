import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasExpectedHost } from '../../../src/server/auth/request_check.ts'
import { sendRaw } from '../listener/listener_setup.ts'
import { type Admin, LIST, type StartedEmulator, startAdmin, startEmulator } from './admin_setup.ts'

let emulator: StartedEmulator
let admin: Admin
let port: number
beforeEach(async () => {
  emulator = await startEmulator()
  admin = await startAdmin({
    systems: { frankfurt: emulator.url },
    allowedHosts: ['admin.example.net', 'proxy:8443'],
  })
  port = Number(new URL(admin.url).port)
})
afterEach(async () => {
  await admin[Symbol.asyncDispose]()
  await emulator.stop()
})

/** PORT is replaced by the port of the listener. */
async function statusWith(headers: Readonly<Record<string, string>>, method = 'GET', path = '/systems') {
  const filled = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(port))]),
  )
  return (await admin.ask(method, path, undefined, { headers: filled })).status
}

test('a link-local address of the listener has no zone in the header Host', () => {
  const local = Object.create(new Socket(), {
    localAddress: { value: 'fe80::1%eth0' },
    localPort: { value: 9438 },
  }) as Socket
  const isExpected = (host: string) =>
    hasExpectedHost(Object.assign(new IncomingMessage(local), { headers: { host } }), {
      listenHosts: [],
      allowedHosts: [],
    })
  expect(isExpected('[fe80::1]:9438')).toBe(true)
  expect(isExpected('[fe80::2]:9438')).toBe(false)
})

describe('a host that', () => {
  test.each(['127.0.0.1:PORT', 'localhost:PORT', 'admin.example.net', 'Admin.Example.Net:443', 'proxy:8443'])(
    'is the listener (%s) may ask',
    async (Host) => {
      expect(await statusWith({ Host })).toBe(200)
    },
  )

  test.each([
    'evil.example',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost',
    'localhost.evil.example:PORT',
    'evil.localhost:PORT',
    '127.0.0.2:PORT',
    '0.0.0.0:PORT',
    '[::1]:PORT',
    '[::ffff:127.0.0.1]:PORT',
    'localhost.:PORT',
    'proxy:8444',
    'a@127.0.0.1:PORT',
  ])('is another (%s) may not', async (Host) => {
    for (const path of ['/', '/systems', LIST]) expect(await statusWith({ Host }, 'GET', path)).toBe(421)
    expect(emulator.log.count()).toBe(0)
  })

  test('is missing is refused', async () => {
    for (const start of [
      'GET /systems HTTP/1.0\r\n',
      'GET /systems HTTP/1.1\r\nHost: \r\nConnection: close\r\n',
    ]) {
      expect(await sendRaw(port, `${start}\r\n`)).toMatch(/^HTTP\/1\.1 421 /)
    }
  })
})

describe('a request of a browser', () => {
  test.each([
    [{ Origin: 'http://127.0.0.1:PORT' }, 200],
    [{ Origin: 'http://127.0.0.1:PORT', 'Sec-Fetch-Site': 'same-origin' }, 200],
    [{ Host: 'admin.example.net', Origin: 'https://admin.example.net' }, 200],
    [{ 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }, 200],
    [{ Origin: 'https://127.0.0.1:PORT' }, 403],
    [{ Origin: 'http://localhost:PORT' }, 403],
    [{ Origin: 'http://127.0.0.1:1' }, 403],
    [{ Origin: 'null' }, 403],
    [{ Origin: 'https://evil.example' }, 403],
    [{ Origin: 'https://admin.example.net' }, 403],
    [{ Host: 'admin.example.net', Origin: 'https://evil.example' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }, 403],
  ])('%j is answered with %i', async (headers, status) => {
    expect(await statusWith(headers)).toBe(status)
  })

  test('from a link of another site is allowed only for the page', async () => {
    const followed = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
    expect(await statusWith(followed, 'GET', '/')).toBe(200)
    expect(await statusWith({ ...followed, 'Sec-Fetch-Mode': 'no-cors' }, 'GET', '/')).toBe(403)
    expect(await statusWith(followed, 'GET', LIST)).toBe(403)
  })
})

test('every response forbids framing, caching and use by other sites', async () => {
  for (const path of ['/', '/systems', LIST, '/nothing']) {
    const { headers } = await admin.ask('GET', path)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  }
})
