import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRateLimits } from '../../../src/server/admin/rate_limits.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { openSocket } from '../listener/listener_setup.ts'
import { type StartedEmulator, startAdmin, startEmulator } from './admin_setup.ts'

let emulator: StartedEmulator
beforeEach(async () => {
  emulator = await startEmulator()
})
afterEach(() => emulator.stop())

describe('a login whose caller leaves before the response', () => {
  async function loginAndLeave(url: string, password: string): Promise<void> {
    const { host, port } = new URL(url)
    const body = JSON.stringify({ username: 'security', password })
    const socket = await openSocket(Number(port))
    const before = emulator.log.count('login')
    socket.write(
      `POST /systems/frankfurt/login HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await waitForAssertion(() => expect(emulator.log.count('login')).toBe(before + 1))
    socket.destroy()
  }

  test('counts when the system refuses it', async () => {
    const rateLimits = createRateLimits(() => 0)
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url }, rateLimits })
    emulator.setFaults(['slow-headers:0.2@login'])
    for (let index = 0; index < 5; index++) await loginAndLeave(admin.url, 'wrong')
    const asking = {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'security', password: 'wrong' }),
    }
    // The refusals arrive after the callers have left.
    const statuses: number[] = []
    for (let index = 0; index < 5; index++) {
      statuses.push((await admin.ask('POST', '/systems/frankfurt/login', undefined, asking)).status)
    }
    expect(statuses).toEqual([429, 429, 429, 429, 429])
    expect(emulator.log.count('login')).toBe(5)
  })

  test('leaves no session', async () => {
    await using admin = await startAdmin({ systems: { frankfurt: emulator.url } })
    // Long enough to notice that the caller has left.
    emulator.setFaults(['slow-headers:2@login'])
    await loginAndLeave(admin.url, 'emulator')
    await waitForAssertion(() => expect(emulator.log.count('logout')).toBe(1))
    expect(emulator.liveSessions('security')).toBe(0)
  })
})

describe('pending requests', () => {
  const pending = () => Promise.withResolvers<void>()

  test('of one system are bounded; another system is not affected', async () => {
    const { withToken } = createRateLimits(() => 0)
    const { promise, resolve } = pending()
    const addresses = Array.from({ length: 32 }, (_, index) => `192.0.2.${index}`)
    const running = addresses.map((address) => withToken(address, 'frankfurt', () => promise))
    await expect(withToken('198.51.100.1', 'frankfurt', async () => 'sent')).rejects.toMatchObject({
      status: 503,
      headers: { 'Retry-After': '1' },
    })
    expect(await withToken('198.51.100.1', 'paris', async () => 'sent')).toBe('sent')
    resolve()
    await Promise.all(running)
    expect(await withToken('198.51.100.1', 'frankfurt', async () => 'sent')).toBe('sent')
  })

  test('of one address at a system leave room for other addresses', async () => {
    const { withToken } = createRateLimits(() => 0)
    const { promise, resolve } = pending()
    const asked = Array.from({ length: 100 }, () =>
      withToken('192.0.2.1', 'frankfurt', () => promise).then(
        () => 200,
        ({ status }: { status: number }) => status,
      ),
    )
    expect(await withToken('192.0.2.2', 'frankfurt', async () => 'sent')).toBe('sent')
    expect(await withToken('192.0.2.1', 'paris', async () => 'sent')).toBe('sent')
    resolve()
    expect((await Promise.all(asked)).filter((status) => status === 429)).toHaveLength(90)
  })
})
