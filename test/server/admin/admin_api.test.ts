import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decodeProviders } from '../../../src/api/providers/providers.ts'
import { request } from '../../support/http.ts'
import { freePort } from '../../support/ports.ts'
import { type RecordedLog, recordLog, sendRaw } from '../listener/listener_setup.ts'
import {
  ADMIN,
  type Admin,
  LIST,
  MONITOR,
  providerIds,
  SECURITY,
  type StartedEmulator,
  startAdmin,
  startEmulator,
} from './admin_setup.ts'

let log: RecordedLog
let emulator: StartedEmulator
let admin: Admin
beforeEach(async () => {
  log = recordLog()
  emulator = await startEmulator()
  admin = await startAdmin({ systems: { frankfurt: emulator.url }, log, timeout: '30s' })
})
afterEach(async () => {
  await admin[Symbol.asyncDispose]()
  await emulator.stop()
})

const XML = 'application/xml'
const JSON_TYPE = 'application/json'
const NAMES = ['corporate-ldap', 'multi-domain forest', 'Forschung & Entwicklung <Köln>', 'keystone "lab"']

/** The members of an error body in XML. */
function xmlError(text: string): Record<string, string | undefined> {
  const names = ['code', 'description', 'details', 'retryable']
  return Object.fromEntries(
    names.map((name) => [name, new RegExp(`<${name}>(.*)</${name}>`).exec(text)?.[1]]),
  )
}

describe('the list', () => {
  test.each([
    [LIST, XML],
    [`${LIST}.json`, JSON_TYPE],
    [`/systems/frankfurt${LIST}.json`, JSON_TYPE],
  ])('GET %s is %s', async (path, type) => {
    const { status, headers, text } = await admin.ask('GET', path, MONITOR)
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type })
    expect(decodeProviders(text).map(({ name }) => name)).toEqual(NAMES)
    expect(text.startsWith(type === XML ? '<?xml' : '{"authnprovider":[')).toBe(true)
  })

  test('HEAD is GET without the body', async () => {
    const { status, headers, text } = await admin.ask('HEAD', LIST, MONITOR)
    const full = await admin.ask('GET', LIST, MONITOR)
    expect({ status, text }).toEqual({ status: 200, text: '' })
    expect(headers['content-length']).toBe(full.headers['content-length'])
    expect(headers['content-type']).toBe(XML)
  })

  test.each([
    ['*/*', XML],
    ['application/xml;q=0.5, application/json', JSON_TYPE],
    ['application/json', JSON_TYPE],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', XML],
  ])('without an ending is what the caller likes: %s', async (Accept, type) => {
    const { status, headers } = await admin.ask('GET', LIST, MONITOR, { headers: { Accept } })
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type })
  })

  test.each([
    [LIST, 'text/csv'],
    [`${LIST}.json`, XML],
    [LIST, 'application/xml;q=0, image/png'],
  ])('%s for %s is 406', async (path, Accept) => {
    const { status, text } = await admin.ask('GET', path, MONITOR, { headers: { Accept } })
    expect(status).toBe(406)
    expect(text).toContain('406')
    expect(emulator.log.count()).toBe(0)
  })
})

describe('a deletion', () => {
  test.each([
    ['as it stands', (id: string) => id, XML],
    ['percent-encoded', encodeURIComponent, XML],
    [
      'wholly percent-encoded',
      (id: string) => id.replaceAll(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`),
      XML,
    ],
    ['with .json', (id: string) => `${id}.json`, JSON_TYPE],
  ])('of an id %s is 200 without a body, and sent on exactly', async (_what, write, type) => {
    const [, id = ''] = await providerIds(emulator)
    emulator.log.clear()
    const { status, headers, body } = await admin.ask('DELETE', `${LIST}/${write(id)}`, SECURITY)
    expect([status, headers['content-type'], body.length]).toEqual([200, type, 0])
    const sent = emulator.log.requests().filter(({ method }) => method === 'DELETE')
    expect(sent.map(({ path }) => path)).toEqual([`${LIST}/${id}`])
    expect(await providerIds(emulator)).not.toContain(id)
  })

  test.each([
    'urn:AuthProvider:fe4843f3-71eb-4a86-b1bd-806f4275998b',
    'urn:storageos:AuthnProvider:none:',
    'not-a-urn',
    'K%C3%B6ln',
    'a%3Bb',
  ])('of %s is for the system to judge', async (id) => {
    await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)
    const [sent] = emulator.log.requests().filter(({ method }) => method === 'DELETE')
    expect(sent?.path).toBe(`${LIST}/${id}`)
  })

  test.each(['..', '%2e%2e', 'a%2Fb', 'a%2541', '%zz', 'a%2Ejson', 'a\\b', '%C3'])(
    'of %s is refused here, since it could not be sent on exactly',
    async (id) => {
      const { status, text } = await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)
      expect({ status, code: xmlError(text)['code'] }).toEqual({ status: 400, code: '400' })
      expect(emulator.log.count()).toBe(0)
    },
  )

  test('of an id with a fragment or raw bytes is not sent with a shortened id', async () => {
    const port = Number(new URL(admin.url).port)
    for (const id of ['urn:a#b', 'K\u00f6ln']) {
      const head = `DELETE ${LIST}/${id} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-SDS-AUTH-TOKEN: ${SECURITY}\r\n`
      expect(await sendRaw(port, `${head}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(emulator.log.count()).toBe(0)
  })

  test('with a query is refused', async () => {
    const [id] = await providerIds(emulator)
    const { status } = await admin.ask('DELETE', `${LIST}/${id}?force=true`, SECURITY)
    expect({ status, sent: emulator.log.count('delete') }).toEqual({ status: 400, sent: 0 })
  })
})

describe('other requests', () => {
  test.each([
    ['POST', LIST, 'GET, HEAD, OPTIONS'],
    ['DELETE', `${LIST}.json`, 'GET, HEAD, OPTIONS'],
    ['GET', `${LIST}/urn:a:`, 'DELETE, OPTIONS'],
    ['PUT', `/systems/frankfurt${LIST}/urn:a:.json`, 'DELETE, OPTIONS'],
    ['GET', '/systems/frankfurt/login', 'OPTIONS, POST'],
  ])('%s %s is 405', async (method, path, allow) => {
    const { status, headers } = await admin.ask(method, path, SECURITY)
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow })
    const options = await admin.ask('OPTIONS', path)
    expect({ status: options.status, allow: options.headers.allow }).toEqual({ status: 204, allow })
    expect(options.headers['access-control-allow-origin']).toBe(undefined)
  })

  test('a path that is too long is 414, a body that is too large is 413', async () => {
    expect((await admin.ask('GET', `${LIST}/${'a'.repeat(3000)}`, SECURITY)).status).toBe(414)
    const asking = { body: 'x'.repeat(5000) }
    expect((await admin.ask('DELETE', `${LIST}/urn:a:`, SECURITY, asking)).status).toBe(413)
    const port = Number(new URL(admin.url).port)
    const head = `DELETE ${LIST}/urn:a: HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-SDS-AUTH-TOKEN: ${SECURITY}\r\n`
    const raw = `${head}Transfer-Encoding: chunked\r\n\r\n1770\r\n${'x'.repeat(6000)}\r\n`
    expect(await sendRaw(port, raw)).toMatch(/^HTTP\/1\.1 413 /)
    expect(emulator.log.count()).toBe(0)
    const small = await admin.ask('GET', LIST, MONITOR, { body: 'x' })
    expect(small.status).toBe(200)
  })
})

describe('permissions', () => {
  const NO_PROVIDER = `${LIST}/urn:storageos:AuthnProvider:none:`

  test('only the token of the caller is sent to the system', async () => {
    const [id] = await providerIds(emulator)
    emulator.log.clear()
    await admin.ask('GET', LIST)
    await admin.ask('DELETE', `${LIST}/${id}`)
    await admin.ask('GET', LIST, '')
    expect(emulator.log.count()).toBe(0)
    await admin.ask('GET', LIST, MONITOR)
    await admin.ask('GET', LIST, 'wrong')
    await admin.ask('DELETE', `${LIST}/${id}`, SECURITY)
    expect(emulator.log.tokens()).toEqual(new Set([MONITOR, 'wrong', SECURITY]))
    expect(emulator.log.requests().every(({ token }) => token !== undefined)).toBe(true)
  })

  test.each([
    ['no token', undefined],
    ['an empty token', ''],
    ['a token with a blank in it', 'a b'],
    ['a token of other letters', 'K\u00f6ln'],
  ])('%s is 401, without a request to the system', async (_what, token) => {
    const xml = await admin.ask('GET', LIST, token)
    const json = await admin.ask('GET', `${LIST}.json`, token)
    expect([xml.status, json.status]).toEqual([401, 401])
    expect(xml.headers['content-type']).toBe(XML)
    expect(xml.headers['www-authenticate']).toMatch(/^X-SDS-AUTH-TOKEN /)
    const body = JSON.parse(json.text)
    expect(Object.keys(body)).toEqual(['code', 'description', 'details', 'retryable'])
    expect(xmlError(xml.text)).toMatchObject({ code: String(body.code), description: body.description })
    expect(emulator.log.count()).toBe(0)
  })

  test('two tokens are refused', async () => {
    const port = Number(new URL(admin.url).port)
    const head = `GET ${LIST} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-SDS-AUTH-TOKEN: a\r\nX-SDS-AUTH-TOKEN: b\r\n`
    expect(await sendRaw(port, `${head}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    expect(emulator.log.count()).toBe(0)
  })

  test.each([
    ['an unknown token', 'GET', LIST, 'wrong', 401, 4000, 'documented'],
    ['a missing role', 'DELETE', 'first', ADMIN, 403, 3000, 'classic'],
    ['an unknown provider', 'DELETE', NO_PROVIDER, SECURITY, 404, 2000, 'classic'],
    ['what is no URN', 'DELETE', `${LIST}/none`, SECURITY, 400, 1013, 'classic'],
  ] as const)(
    'returns the error of the system for %s in the format of the caller',
    async (_what, method, path, token, status, code, profile) => {
      await using system = await startEmulator({ profile })
      await using server = await startAdmin({ systems: { frankfurt: system.url }, timeout: '30s' })
      const [id] = await providerIds(system)
      const asked = path === 'first' ? `${LIST}/${id}` : path
      const xml = await server.ask(method, asked, token)
      const json = await server.ask(method, `${asked}.json`, token)
      expect([xml.status, json.status]).toEqual([status, status])
      const headers = { 'X-SDS-AUTH-TOKEN': token }
      const own = await request(method, `${system.url}${asked}.json`, { headers })
      expect(JSON.parse(json.text)).toEqual(JSON.parse(own.text))
      expect(JSON.parse(json.text).code).toBe(code)
      expect(xmlError(xml.text)).toMatchObject({ code: String(code), retryable: 'false' })
      expect([xml.headers['content-type'], json.headers['content-type']]).toEqual([XML, JSON_TYPE])
    },
  )
})

describe('a system that', () => {
  /** The response to the list in JSON. */
  async function failure(...faults: string[]) {
    emulator.setFaults(faults)
    const { status, headers, text } = await admin.ask('GET', `${LIST}.json`, MONITOR)
    return { status, headers, ...(JSON.parse(text) as { code: number; retryable: boolean; details: string }) }
  }

  test.each([
    ['redirects to its login', 'redirect-login', 401, 401, false],
    ['redirects elsewhere', 'redirect-other', 502, 502, false],
    ['breaks the connection', 'reset', 502, 502, true],
    ['sends a page', 'html', 502, 502, false],
    ['sends too much', 'gzip-bomb:100', 502, 502, false],
    ['refuses a missing role', 'status:500,code=6401,retryable=false', 500, 6401, false],
    ['is not available', 'status:503,code=6000,retryable=true,retry-after=30', 503, 6000, true],
    ['refuses with a page', 'status:403,body=html', 403, 403, false],
    ['refuses without a body', 'status:404,body=none', 404, 404, false],
  ])('%s', async (_what, fault, status, code, retryable) => {
    const answer = await failure(`${fault}@providers`)
    expect(answer).toMatchObject({ status, code, retryable })
    expect(answer.details).not.toBe('')
    expect(answer.headers['retry-after']).toBe(fault.includes('retry-after') ? '30' : undefined)
    expect(answer.headers['www-authenticate'] !== undefined).toBe(status === 401)
  })

  test.each([
    ['does not respond in time', 'half-open'],
    ['sends its response byte by byte', 'slow-body'],
  ])('%s', async (_what, fault) => {
    emulator.setFaults([`${fault}@providers`])
    await using impatient = await startAdmin({ systems: { frankfurt: emulator.url }, log, timeout: '2s' })
    const { status, headers, text } = await impatient.ask('GET', `${LIST}.json`, MONITOR)
    expect([status, headers['retry-after']]).toEqual([504, undefined])
    const details = expect.stringMatching(/./)
    expect(JSON.parse(text)).toMatchObject({ code: 504, retryable: true, details })
  })

  test('cannot be reached gives 502 in the format of the caller', async () => {
    await using alone = await startAdmin({ systems: { gone: `http://127.0.0.1:${await freePort()}` }, log })
    const { status, text } = await alone.ask('GET', LIST, MONITOR)
    expect(status).toBe(502)
    expect(xmlError(text)).toMatchObject({ code: '502', retryable: 'true' })
    expect(xmlError(text)['details']).toContain('connection refused')
    const deletion = await alone.ask('DELETE', `${LIST}/urn:a:`, SECURITY)
    expect(xmlError(deletion.text)['code']).toBe('502')
    expect(lastAudit()).toEqual(['failed', 502])
  })

  test('has a node that is down is reached through another node', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`
    await using both = await startAdmin({ systems: { frankfurt: [dead, emulator.url] } })
    expect((await both.ask('GET', LIST, MONITOR)).status).toBe(200)
    const [id] = await providerIds(emulator)
    expect((await both.ask('DELETE', `${LIST}/${id}`, SECURITY)).status).toBe(200)
  })
})

/** Outcome and status of the last deletion, in the audit line of the log. */
function lastAudit(): unknown[] {
  const line = log.lines.findLast((one) => one.startsWith('warn audit: deletion of ')) ?? ''
  const { outcome, status } = JSON.parse(line.slice(line.indexOf('{')))
  return [outcome, status]
}

describe('a deletion whose response is lost', () => {
  test.each([
    ['reset', 502],
    ['truncate', 200],
    ['status:502,body=html', 502],
    ['status:504,body=none', 502],
  ])('(%s) is sent once, and audited as unknown unless it was confirmed', async (fault, status) => {
    const [id] = await providerIds(emulator)
    emulator.setFaults([`${fault}@delete`])
    const answer = await admin.ask('DELETE', `${LIST}/${id}.json`, SECURITY)
    expect(emulator.log.count('delete')).toBe(1)
    expect(answer.status).toBe(status)
    expect(lastAudit()).toEqual([status === 200 ? 'deleted' : 'unknown', status])
    if (status === 200) return
    expect(JSON.parse(answer.text)).toMatchObject({ code: 599, retryable: false })
    expect(answer.text).toContain('list the providers again')
  })

  test('is not sent to another node', async () => {
    await using second = await startEmulator()
    await using both = await startAdmin({ systems: { frankfurt: [emulator.url, second.url] } })
    const [id] = await providerIds(emulator)
    emulator.setFaults(['reset@delete'])
    const { text } = await both.ask('DELETE', `${LIST}/${id}.json`, SECURITY)
    expect(JSON.parse(text).code).toBe(599)
    expect([emulator.log.count('delete'), second.log.count('delete')]).toEqual([1, 0])
  })

  test.each([
    ['status:500', 500, 'failed'],
    ['status:500,code=6401', 500, 'refused'],
    ['status:503', 503, 'failed'],
    ['redirect-login', 401, 'refused'],
  ])('is not one that the system answers (%s)', async (fault, expected, outcome) => {
    const [id] = await providerIds(emulator)
    emulator.setFaults([`${fault}@delete`])
    const { status, text } = await admin.ask('DELETE', `${LIST}/${id}.json`, SECURITY)
    expect(status).toBe(expected)
    expect(JSON.parse(text).code).not.toBe(599)
    expect(emulator.log.count('delete')).toBe(1)
    expect(lastAudit()).toEqual([outcome, expected])
  })
})

test.each([
  [undefined, 'sds-exporter'],
  ['http://127.0.0.1:9438', '<a href="http://127.0.0.1:9438/">Status page</a>'],
])('the page with the status page at %s has the breadcrumb %s', async (statusUrl, link) => {
  await using other = await startAdmin({
    systems: { frankfurt: emulator.url },
    ...(statusUrl && { statusUrl }),
  })
  const { text } = await other.ask('GET', '/')
  expect(text).toContain(`aria-label="Breadcrumb">${link} / Administration</nav>`)
})

test('several systems are chosen by the path; a path without a system lists them', async () => {
  await using second = await startEmulator({ seed: 'second' })
  await using both = await startAdmin({ systems: { frankfurt: emulator.url, 'paris-2': second.url } })
  expect((await both.ask('GET', '/systems')).text).toBe('{"systems":["frankfurt","paris-2"]}')
  const [id] = await providerIds(second)
  expect((await both.ask('DELETE', `/systems/paris-2${LIST}/${id}`, SECURITY)).status).toBe(200)
  expect([emulator.log.count('delete'), second.log.count('delete')]).toEqual([0, 1])
  const list = await both.ask('GET', `/systems/paris-2${LIST}`, MONITOR)
  expect(decodeProviders(list.text)).toHaveLength(3)
  const bare = await both.ask('GET', `${LIST}.json`, MONITOR)
  expect(bare.status).toBe(400)
  expect(JSON.parse(bare.text).details).toContain('frankfurt, paris-2')
  const deletion = await both.ask('DELETE', `${LIST}/${id}`, SECURITY)
  expect(deletion.status).toBe(400)
  const unknown = await both.ask('GET', `/systems/rome${LIST}`, MONITOR)
  expect(unknown.status).toBe(404)
  expect(unknown.text).toContain('frankfurt, paris-2')
  const tokens = [emulator.log.tokens(), second.log.tokens()]
  expect(tokens).toEqual([new Set(), new Set([ADMIN, SECURITY, MONITOR])])
})

test('no token is logged or returned', async () => {
  const [id] = await providerIds(emulator)
  const secret = 'a-secret-token-of-a-caller'
  const answers = [
    await admin.ask('GET', LIST, secret),
    await admin.ask('DELETE', `${LIST}/${id}`, secret),
    await admin.ask('GET', LIST, `${secret} broken`),
  ]
  emulator.setFaults(['reset'])
  answers.push(await admin.ask('DELETE', `${LIST}/${id}`, secret))
  const shown = [...answers.map(({ text }) => text), ...log.lines].join('\n')
  expect(log.lines.length).toBeGreaterThan(1)
  expect(shown).not.toContain(secret)
  expect(shown).not.toContain(Buffer.from(secret).toString('base64'))
})
