import { createServer, IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Socket } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasExpectedHost } from '../../../src/server/auth/origin.ts'
import { launchChromium, visit } from '../../support/programs/chromium.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { sendRaw } from '../listener/listener_setup.ts'
import {
  type Admin,
  LIST,
  providerIds,
  SECURITY,
  type StartedEmulator,
  startAdmin,
  startEmulator,
} from './admin_setup.ts'

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

describe('in Chromium', () => {
  let browser: Browser
  let evil: Server
  let evilUrl: string
  beforeAll(async () => {
    browser = await launchChromium()
    evil = createServer((_request, response) => {
      response
        .setHeader('Content-Type', 'text/html')
        .end('<!doctype html><title>evil</title><iframe></iframe>')
    })
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve))
    evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/`
  })
  afterAll(async () => {
    await browser.close()
    evil.close()
  })

  test('DNS rebinding gets neither the page nor access to a system', async () => {
    // Chromium resolves every name below .localhost to this machine, as in DNS rebinding.
    const url = `http://evil.localhost:${port}/`
    await using visited = await visit(browser, url)
    expect(await visited.page.title()).not.toContain('Authentication providers')
    // The page of the attacker, loaded before the name changed: same origin as the listener for the browser.
    await visited.page.route(url, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>evil</title>' }),
    )
    await visited.page.goto(url)
    expect(await visited.page.title()).toBe('evil')
    const ask = `fetch('${LIST}.json', { headers: { 'X-SDS-AUTH-TOKEN': '${SECURITY}' } }).then((r) => r.status)`
    expect(await visited.page.evaluate(ask)).toBe(421)
    const login = `fetch('/systems/frankfurt/login', { method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: '{"username":"security","password":"emulator"}' }).then((r) => r.status)`
    expect(await visited.page.evaluate(login)).toBe(421)
    expect(emulator.log.count()).toBe(0)
  })

  test('a page of another site cannot read, delete, sign in or frame', async () => {
    const [id] = await providerIds(emulator)
    emulator.log.clear()
    await using visited = await visit(browser, evilUrl)
    const attempts = [
      `fetch('${admin.url}${LIST}/${id}', { method: 'DELETE', headers: { 'X-SDS-AUTH-TOKEN': '${SECURITY}' } })`,
      `fetch('${admin.url}${LIST}/${id}', { method: 'DELETE' })`,
      `fetch('${admin.url}${LIST}', { headers: { 'X-SDS-AUTH-TOKEN': '${SECURITY}' } })`,
      `fetch('${admin.url}/systems')`,
      `fetch('${admin.url}/systems/frankfurt/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"username":"security","password":"emulator"}' })`,
    ]
    for (const attempt of attempts) {
      expect(
        await visited.page.evaluate(`${attempt}.then((r) => 'answered ' + r.status, () => 'refused')`),
      ).toBe('refused')
    }
    // Requests without a preflight are sent, and the listener refuses them.
    const simple = `fetch('${admin.url}/systems/frankfurt/login', { method: 'POST', mode: 'no-cors',
      headers: { 'Content-Type': 'text/plain' }, body: '{"username":"security","password":"emulator"}' })`
    await visited.page.evaluate(`${simple}.then(() => undefined, () => undefined)`)
    const frame = visited.page.frames()[1]
    await frame?.goto(`${admin.url}/`).catch(() => undefined)
    await waitForAssertion(async () =>
      expect(await frame?.content()).not.toContain('Authentication providers'),
    )
    expect(emulator.log.count()).toBe(0)
    expect(await providerIds(emulator)).toContain(id)
  })
})
