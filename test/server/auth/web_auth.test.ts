import { hashSync } from 'bcryptjs'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../../src/log.ts'
import { createBasicAuth } from '../../../src/server/auth/basic_auth.ts'
import type { ListenerOptions } from '../../../src/server/listener/listener.ts'
import { Secret } from '../../../src/values/secret.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { waitForAssertion } from '../../support/wait.ts'
import { openSocket, readAll, recordLog, sendRaw, startListener } from '../listener/listener_setup.ts'

const CHEAP = 4
const HASH = hashSync('secret', CHEAP)
const OTHER_HASH = hashSync('other', CHEAP)
const NEVER = new AbortController().signal
/** Of `secret`, with a cost of hours. */
const EXPENSIVE_HASH = HASH.replace('$04$', '$24$')
const ADDRESS = '192.0.2.1'

function users(entries: Readonly<Record<string, string>>) {
  return new Map(Object.entries(entries).map(([user, hash]) => [user, new Secret(hash)]))
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Basic authentication with a manual clock, and a comparison that is counted and can be paused. */
function setUp(entries: Readonly<Record<string, string>> = { alice: HASH }) {
  const clock = { ms: 0 }
  const held: ((isEqual: boolean) => void)[] = []
  const compare = vi.fn(async (password: string, hash: string) => password === 'secret' && hash === HASH)
  const auth = createBasicAuth({ log: silentLog, now: () => clock.ms, compare, signal: NEVER })
  const status = async (header: string | undefined, address = ADDRESS) =>
    (await auth.check(header, address, users(entries)))?.status ?? 200
  const hold = () => compare.mockImplementation(() => new Promise((resolve) => held.push(resolve)))
  return { auth, clock, compare, held, hold, status }
}

describe('basic authentication', () => {
  test.each([
    ['the right password', basic('alice', 'secret'), 200],
    ['the scheme in mixed case', basic('alice', 'secret').replace('Basic', 'bASIC'), 200],
    ['a wrong password', basic('alice', 'wrong'), 401],
    ['an empty password', basic('alice', ''), 401],
    ['an unknown user', basic('bob', 'secret'), 401],
    ['a user of another spelling', basic('Alice', 'secret'), 401],
    ['a user that every object has', basic('constructor', 'secret'), 401],
    ['nothing', undefined, 401],
    ['an empty header', '', 401],
    ['no colon', `Basic ${Buffer.from('alice').toString('base64')}`, 401],
    ['no base64', 'Basic alice:secret', 401],
    ['base64 with rubbish in it', `Basic ${Buffer.from('alice:secret').toString('base64')}!`, 401],
    ['no UTF-8', `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`, 401],
    ['another scheme', 'Bearer alice', 401],
    ['the hash as password', basic('alice', HASH), 401],
  ])('with %s', async (_what, header, status) => {
    expect(await setUp().status(header)).toBe(status)
  })

  test('accepts every variant of bcrypt, and passwords with colons and Unicode characters', async () => {
    const auth = createBasicAuth({ log: silentLog, now: () => 0, signal: NEVER })
    const password = 'pä:ss:wörd ✓'
    const hash = hashSync(password, CHEAP)
    for (const kind of ['$2a$', '$2b$', '$2y$']) {
      const known = users({ zoë: hash.replace('$2b$', kind) })
      expect(await auth.check(basic('zoë', password), ADDRESS, known)).toBeUndefined()
      expect((await auth.check(basic('zoë', `${password}!`), ADDRESS, known))?.status).toBe(401)
    }
  })

  test('an unknown user takes one comparison with a hash of the same cost', async () => {
    const { compare, status } = setUp({ alice: HASH, bob: OTHER_HASH.replace('$04$', '$11$') })
    await status(basic('nobody', 'guess'))
    expect(compare).toHaveBeenCalledExactlyOnceWith(
      'guess',
      expect.stringMatching(/^\$2b\$11\$[./A-Za-z0-9]{53}$/),
      NEVER,
    )
    await status(basic('alice', 'guess'))
    expect(compare).toHaveBeenCalledTimes(2)
    await status(basic('nobody', 'guess'))
    await status(basic('alice', 'guess'))
    expect(compare).toHaveBeenCalledTimes(2)
  })
})

describe('remembered results', () => {
  test('replace the comparison, for correct and for wrong passwords', async () => {
    const { compare, status } = setUp()
    for (let scrape = 0; scrape < 3; scrape += 1) {
      expect(await status(basic('alice', 'secret'))).toBe(200)
      expect(await status(basic('alice', 'wrong'))).toBe(401)
    }
    expect(compare).toHaveBeenCalledTimes(2)
  })

  test('are not used after a change of the hash', async () => {
    const { auth, compare } = setUp()
    expect(await auth.check(basic('alice', 'secret'), ADDRESS, users({ alice: HASH }))).toBeUndefined()
    const changed = users({ alice: OTHER_HASH })
    expect((await auth.check(basic('alice', 'secret'), ADDRESS, changed))?.status).toBe(401)
    expect(compare).toHaveBeenCalledTimes(2)
    expect((await auth.check(basic('alice', 'secret'), ADDRESS, users({ bob: HASH })))?.status).toBe(401)
  })

  test('do not match if characters move between user, hash and password', async () => {
    const { auth, compare } = setUp()
    compare.mockResolvedValue(true)
    // Users with the same hash, so that only the boundary between user and password differs.
    const names = ['alice', 'alices', 'alic', '', `alice${HASH}`, 'alice6']
    const known = users(Object.fromEntries(names.map((name) => [name, HASH])))
    expect(await auth.check(basic('alice', 'secret'), ADDRESS, known)).toBeUndefined()
    compare.mockResolvedValue(false)
    const forgeries = [
      basic('alices', 'ecret'),
      basic('alic', 'esecret'),
      basic('', 'alicesecret'),
      basic(`alice${HASH}`, 'secret'),
      basic('alice', `secret${HASH}`),
      basic('alice6', ':secret'),
    ]
    for (const forgery of forgeries) expect((await auth.check(forgery, ADDRESS, known))?.status).toBe(401)
  })

  test('are bounded, and guesses do not evict successes', async () => {
    const { clock, compare, status } = setUp()
    await status(basic('alice', 'secret'))
    for (let guess = 0; guess < 150; guess += 1) {
      clock.ms += 1000
      await status(basic('alice', `guess ${guess}`))
    }
    expect(compare).toHaveBeenCalledTimes(151)
    await status(basic('alice', 'secret'))
    await status(basic('alice', 'guess 149'))
    expect(compare).toHaveBeenCalledTimes(151)
    clock.ms += 1000
    await status(basic('alice', 'guess 0'))
    expect(compare).toHaveBeenCalledTimes(152)
  })
})

describe('comparisons', () => {
  test('run one at a time, and equal claims share one', async () => {
    const { compare, held, hold, status } = setUp()
    hold()
    const same = Array.from({ length: 20 }, () => status(basic('alice', 'secret')))
    const other = status(basic('alice', 'wrong'))
    await waitForAssertion(() => expect(held).toHaveLength(1))
    held.pop()?.(true)
    expect(await Promise.all(same)).toEqual(Array(20).fill(200))
    await waitForAssertion(() => expect(held).toHaveLength(1))
    held.pop()?.(false)
    expect(await other).toBe(401)
    expect(compare).toHaveBeenCalledTimes(2)
  })

  test('are refused when the queue is full, without using an attempt', async () => {
    const { held, hold, status } = setUp()
    hold()
    const addresses = Array.from({ length: 20 }, (_, index) => `192.0.2.${index}`)
    const answers = addresses.map((address) => status(basic('alice', address), address))
    expect(await Promise.all(answers.slice(16))).toEqual(Array(4).fill(503))
    for (let turn = 0; turn < 16; turn += 1) {
      await waitForAssertion(() => expect(held).toHaveLength(1))
      held.pop()?.(false)
    }
    expect(await Promise.all(answers.slice(0, 16))).toEqual(Array(16).fill(401))
  })
})

describe('failed attempts', () => {
  test('are limited per address for some time', async () => {
    const { clock, compare, status } = setUp()
    const guess = async (address?: string) => status(basic('alice', `${compare.mock.calls.length}`), address)
    for (let attempt = 0; attempt < 10; attempt += 1) expect(await guess()).toBe(401)
    expect(await guess()).toBe(429)
    expect(await guess('192.0.2.2')).toBe(401)
    expect(compare).toHaveBeenCalledTimes(11)
    clock.ms += 1000
    expect(await guess()).toBe(401)
    expect(await guess()).toBe(429)
  })

  test('do not lock out a client that has authenticated before', async () => {
    const { status } = setUp()
    expect(await status(basic('alice', 'secret'))).toBe(200)
    for (let attempt = 0; attempt < 20; attempt += 1) await status(basic('alice', `guess ${attempt}`))
    expect(await status(basic('alice', 'guess again'))).toBe(429)
    expect(await status(basic('alice', 'secret'))).toBe(200)
  })

  test('are logged with the address and without the credentials', async () => {
    const log = recordLog()
    const auth = createBasicAuth({ log, now: () => 0, signal: NEVER })
    await auth.check(basic('canary-user', 'canary-password'), ADDRESS, users({ alice: HASH }))
    expect(log.lines).toEqual([
      `warn audit: basic authentication failed {"count":1,"last_address":"${ADDRESS}","last_status":401}`,
    ])
  })
})

describe('a listener with users', () => {
  async function startWithUsers(options: Partial<ListenerOptions> = {}, hash = HASH) {
    const folder = temporaryFolder()
    const webConfigFile = folder.write('web.yml', `basic_auth_users: {alice: ${hash}}`)
    const listener = await startListener({ webConfigFile, ...options })
    const status = async (path: string, headers: Record<string, string> = {}) =>
      (await get(`${listener.url}${path}`, headers)).status
    const dispose = async () => {
      await listener.stop()
      folder[Symbol.dispose]()
    }
    return { ...listener, status, [Symbol.asyncDispose]: dispose }
  }

  test('requires a correct password', async () => {
    await using listener = await startWithUsers()
    const { status, headers, text } = await get(`${listener.url}/metrics`)
    expect({ status, text }).toEqual({ status: 401, text: 'unauthorized\n' })
    expect(headers).toMatchObject({ 'www-authenticate': 'Basic', 'x-content-type-options': 'nosniff' })
    expect(await listener.status('/metrics', { authorization: basic('alice', 'wrong') })).toBe(401)
    expect(await listener.status('/metrics', { authorization: basic('alice', 'secret') })).toBe(200)
  })

  test('does not wait for comparisons when it stops', async () => {
    await using listener = await startWithUsers({ limits: { stopGraceMs: 600_000 } }, EXPENSIVE_HASH)
    const guesses = ['secret', 'secret', 'a', 'b', 'c']
    const sockets = await Promise.all(guesses.map(() => openSocket(listener.port)))
    const answers = sockets.map((socket, index) => {
      socket.write(
        `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: ${basic('alice', guesses[index] ?? '')}\r\n\r\n`,
      )
      return readAll(socket)
    })
    // The guesses were sent before the request that is answered.
    expect(await listener.status('/')).toBe(401)
    await listener.stop()
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  })

  test('serves only the open paths without authentication, for any form of the path', async () => {
    await using listener = await startWithUsers()
    const piece = fc.constantFrom(...'/ - healthy ready . .. %2f %2e \\ ? # ; metrics'.split(' '))
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 10 }), async (pieces) => {
        const target = `/${pieces.join('')}`
        const answer = await sendRaw(
          listener.port,
          `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        )
        const isOpen = /^\/-\/(healthy|ready)(\?|$)/.test(target)
        expect(answer).toMatch(isOpen ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 40[01] /)
      }),
      {
        numRuns: 50,
        examples: [
          '- / healthy',
          '- / ready ?',
          '- / healthy / .. / metrics',
          '- / healthy %2f .. %2f metrics',
          '- / healthy \\ .. \\ metrics',
          '. / - / healthy',
          'metrics ? / - / healthy',
        ].map((pieces) => [pieces.split(' ')]),
      },
    )
  })
})
