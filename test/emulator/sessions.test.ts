import { describe, expect, test } from 'vitest'
import { basic, call, login, NOW, startEmulator } from './client.ts'

const HOUR = 3_600_000

function manualClock() {
  let now = NOW
  return {
    clock: () => now,
    advance: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

describe('login', () => {
  test.each([
    ['monitor', 'SYSTEM_MONITOR'],
    ['admin', 'SYSTEM_ADMIN'],
    ['security', 'SECURITY_ADMIN'],
  ])('user %s gets a token with role %s', async (user, role) => {
    const emulator = await startEmulator()
    const token = (await login(emulator, user)) ?? ''
    expect(token.length).toBeGreaterThan(20)
    const response = await call(emulator, '/user/whoami.json', { token })
    expect(response.json()).toEqual({
      common_name: user,
      distinguished_name: '',
      namespace: '',
      roles: [role],
    })
    const xml = (await call(emulator, '/user/whoami', { token })).text
    expect(xml).toContain(`<common_name>${user}</common_name>`)
    expect(xml).toContain(`<roles><role>${role}</role></roles></user>`)
  })

  test.each([
    ['a wrong password', basic('monitor', 'wrong')],
    ['an unknown user', basic('nobody', 'emulator')],
    ['the name of an Object member', basic('constructor', 'emulator')],
    ['no credentials', {}],
    ['another scheme', { authorization: 'Bearer emulator-admin' }],
  ])('refuses %s; the error body is always XML', async (_cause, headers) => {
    const emulator = await startEmulator()
    const response = await call(emulator, '/login.json', {
      token: '',
      headers: { accept: 'application/json', ...headers },
    })
    expect(response.status).toBe(401)
    expect(response.headers['www-authenticate']).toBe('basic realm="ViPR"')
    expect(response.headers['x-sds-auth-token']).toBeUndefined()
    expect(response.headers['content-type']).toBe('application/xml')
    expect(response.text).toMatch(
      /<error><code>401<\/code><description>Unauthorized<\/description><details>[^<]+<\/details><\/error>$/,
    )
  })

  test('is refused for a user with 100 tokens', async () => {
    const emulator = await startEmulator()
    const tokens = []
    for (let count = 0; count < 100; count++) tokens.push(await login(emulator))
    expect(emulator.liveSessions('monitor')).toBe(100)
    const response = await call(emulator, '/login', { token: '', headers: basic('monitor', 'emulator') })
    expect(response.status).toBe(401)
    expect(response.text).toContain('<code>4000</code>')
    expect(response.text).toContain('Max number of tokens exceeded for this user')
    expect(await login(emulator, 'admin')).toBeDefined()
    await call(emulator, '/logout', { token: tokens[0] ?? '' })
    expect(await login(emulator)).toBeDefined()
  })
})

describe('a token', () => {
  test('expires after eight hours', async () => {
    const { clock, advance } = manualClock()
    const emulator = await startEmulator({ clock })
    const token = (await login(emulator)) ?? ''
    for (let hour = 1; hour < 8; hour++) {
      advance(HOUR)
      expect((await call(emulator, '/user/whoami', { token })).status).toBe(200)
    }
    advance(HOUR)
    expect((await call(emulator, '/user/whoami', { token })).status).toBe(401)
    expect(emulator.liveSessions('monitor')).toBe(0)
  })

  test('expires after two hours without use', async () => {
    const { clock, advance } = manualClock()
    const emulator = await startEmulator({ clock })
    const token = (await login(emulator)) ?? ''
    advance(2 * HOUR - 1)
    expect((await call(emulator, '/user/whoami', { token })).status).toBe(200)
    advance(2 * HOUR)
    expect((await call(emulator, '/user/whoami', { token })).status).toBe(401)
  })

  test('is revoked by a logout, permanent ones are not', async () => {
    const emulator = await startEmulator()
    const [one = '', two = ''] = [await login(emulator), await login(emulator)]
    const response = await call(emulator, '/logout.json', { token: one })
    expect([response.status, response.json()]).toEqual([200, { user: 'monitor' }])
    expect((await call(emulator, '/logout', { token: one })).status).toBe(401)
    expect((await call(emulator, '/user/whoami', { token: two })).status).toBe(200)
    expect(emulator.liveSessions('monitor')).toBe(1)
    await call(emulator, '/logout', { token: 'emulator-admin' })
    expect((await call(emulator, '/user/whoami', { token: 'emulator-admin' })).status).toBe(200)
  })
})
