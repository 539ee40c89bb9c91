import { Agent, get as httpsGet } from 'node:https'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get, request } from '../../support/http.ts'
import { type Authority, type Identity, LOCAL_SANS, makeAuthority } from './certificates.ts'
import {
  openSocket,
  readAll,
  recordLog,
  type StartedListener,
  sendRaw,
  startListener,
} from './listener_setup.ts'

const HOUR_MS = 3_600_000
/** Every connection and every request checks the files; connections stay open. */
const limits = { webFileCheckMs: 0, keepAliveTimeoutMs: 600_000 }
const TLS = 'cert_file: server.pem, key_file: server.key'

let authority: Authority
let other: Authority
let servers: readonly Identity[]
let clients: Readonly<Record<'none' | 'trusted' | 'expired' | 'foreign' | 'selfSigned', Partial<Identity>>>
let folder: Folder

beforeAll(async () => {
  ;[authority, other] = await Promise.all([makeAuthority('test CA'), makeAuthority('other CA')])
  servers = await Promise.all([authority.issue('one', LOCAL_SANS), authority.issue('two', LOCAL_SANS)])
  const past = { from: new Date(Date.now() - 2 * HOUR_MS), to: new Date(Date.now() - HOUR_MS) }
  const names = [
    { type: 'dns', value: 'prometheus.example.net' },
    { type: 'ip', value: '2001:db8::1' },
    { type: 'email', value: 'ops@example.net' },
    { type: 'url', value: 'spiffe://example.net/prometheus' },
    { type: 'dns', value: 'a, URI:spiffe://example.net/other, b' },
    { type: 'url', value: 'spiffe://a", URI:spiffe://example.net/other, "b' },
  ] as const
  clients = {
    none: {},
    trusted: await authority.issue('prometheus', names),
    expired: await authority.issue('prometheus', names, past),
    foreign: await other.issue('prometheus', names),
    selfSigned: { cert: other.cert, key: other.key },
  }
})
beforeEach(() => {
  folder = temporaryFolder()
  useServer(0)
  folder.write('ca.pem', authority.cert)
})
afterEach(() => folder[Symbol.dispose]())

function useServer(index: number): void {
  folder.write('server.pem', servers[index]?.cert ?? '')
  folder.write('server.key', servers[index]?.key ?? '')
}

function writeTls(section: string): string {
  return folder.write('web.yml', `tls_server_config: {${section}}`)
}

type Client = keyof typeof clients

/** The status of a response on a new connection, or the error code. */
async function statusOf(listener: StartedListener, client: Client = 'none', path = '/metrics') {
  const tls = { ca: authority.cert, ...clients[client] }
  return (await request('GET', `${listener.url}${path}`, { tls })).status
}

function handshake(listener: StartedListener, options: ConnectionOptions = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: listener.port, host: '127.0.0.1', ca: authority.cert, ...options }, () =>
      resolve(socket),
    )
    socket.once('error', reject)
  })
}

describe('HTTPS', () => {
  test('is used if the file has a certificate', async () => {
    await using listener = await startListener({ webConfigFile: writeTls(TLS) })
    expect(listener.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const answer = await request('GET', `${listener.url}/metrics`, { tls: { ca: authority.cert } })
    expect(answer).toMatchObject({ status: 200, text: 'handled /metrics' })
    expect(answer.headers['x-content-type-options']).toBe('nosniff')
  })

  test('refuses plain HTTP', async () => {
    await using listener = await startListener({ webConfigFile: writeTls(TLS) })
    const answer = await sendRaw(listener.port, 'GET /-/healthy HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(answer).not.toContain('handled')
  })

  test('stops at once during an unfinished handshake', async () => {
    const patient = { stopGraceMs: 600_000, headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 }
    await using listener = await startListener({ webConfigFile: writeTls(TLS), limits: patient })
    const silent = await openSocket(listener.port)
    const resting = await handshake(listener)
    await listener.stop()
    await Promise.all([readAll(silent), readAll(resting)])
  })

  const OLD = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  test.each([
    ['the best by default', '', {}, 'TLSv1.3'],
    ['TLS 1.2 by default', '', { maxVersion: 'TLSv1.2' }, 'TLSv1.2'],
    ['nothing older by default', '', { ...OLD, maxVersion: 'TLSv1.1' }, /protocol.version/i],
    ['only TLS 1.3', ', min_version: TLS13', { maxVersion: 'TLSv1.2' }, /protocol.version/i],
    ['no TLS 1.3', ', max_version: TLS12', {}, 'TLSv1.2'],
    ['old TLS on request', ', min_version: TLS10', { ...OLD, maxVersion: 'TLSv1' }, 'TLSv1'],
  ] as const)('speaks %s', async (_what, section, client, expected) => {
    await using listener = await startListener({ webConfigFile: writeTls(`${TLS}${section}`) })
    const outcome = handshake(listener, client)
    if (typeof expected !== 'string') return await expect(outcome).rejects.toThrow(expected)
    const socket = await outcome
    expect(socket.getProtocol()).toBe(expected)
    socket.destroy()
  })

  test('uses the cipher suites and curves of the file', async () => {
    const choice =
      'cipher_suites: [TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256], curve_preferences: [CurveP384]'
    await using listener = await startListener({ webConfigFile: writeTls(`${TLS}, ${choice}`) })
    const socket = await handshake(listener, { maxVersion: 'TLSv1.2' })
    expect(socket.getCipher().standardName).toBe('TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256')
    expect(socket.getEphemeralKeyInfo()).toMatchObject({ name: 'secp384r1' })
    socket.destroy()
    const otherCurve = handshake(listener, { maxVersion: 'TLSv1.2', ecdhCurve: 'P-256' })
    await expect(otherCurve).rejects.toThrow('handshake')
  })
})

describe('the client certificate policy', () => {
  const MUTUAL = `${TLS}, client_ca_file: ca.pem`
  const ALLOWED = [
    ...['prometheus.example.net', '"2001:db8::1"', '"2001:0DB8:0:0::1"', 'ops@example.net'],
    ...['spiffe://example.net/prometheus', 'nobody, prometheus.example.net'],
  ]
  const NOT_ALLOWED = [
    ...['prometheus', 'example.net', 'PROMETHEUS.example.net', '"*.example.net"', '.example.net'],
    'spiffe://example.net/other',
  ]
  const ANY = { trusted: 200, expired: 200, foreign: 200, selfSigned: 200 }
  const VERIFIED = { trusted: 200, expired: 403, foreign: 403, selfSigned: 403 }
  const policies = [
    ['NoClientCert', TLS, { none: 200, ...ANY }],
    ['RequestClientCert', TLS, { none: 200, ...ANY }],
    ['RequireAnyClientCert', TLS, { none: 403, ...ANY }],
    ['VerifyClientCertIfGiven', MUTUAL, { none: 200, ...VERIFIED }],
    ['RequireAndVerifyClientCert', MUTUAL, { none: 403, ...VERIFIED }],
  ] as const

  test.each(policies)('%s', async (policy, section, expected) => {
    const webConfigFile = writeTls(`${section}, client_auth_type: ${policy}`)
    await using listener = await startListener({ webConfigFile })
    const statuses: Record<string, number> = {}
    for (const client of Object.keys(clients) as Client[]) {
      statuses[client] = await statusOf(listener, client)
      expect(await statusOf(listener, client, '/-/healthy')).toBe(200)
    }
    expect(statuses).toEqual(expected)
  })

  test('accepts the names in client_allowed_sans, exactly', async () => {
    const allow = (list: string) =>
      writeTls(`${MUTUAL}, client_auth_type: RequireAndVerifyClientCert, client_allowed_sans: [${list}]`)
    await using listener = await startListener({ webConfigFile: allow('x'), limits })
    const statuses: Record<string, number> = {}
    for (const list of [...ALLOWED, ...NOT_ALLOWED]) {
      allow(list)
      statuses[list] = await statusOf(listener, 'trusted')
      expect([await statusOf(listener, 'foreign'), await statusOf(listener, 'none')]).toEqual([403, 403])
    }
    const expected = [...ALLOWED.map((list) => [list, 200]), ...NOT_ALLOWED.map((list) => [list, 403])]
    expect(statuses).toEqual(Object.fromEntries(expected))
  })

  test('refuses a certificate of another CA with the name of the client CA', async () => {
    const impostor = await (await makeAuthority('test CA')).issue('prometheus', LOCAL_SANS)
    const webConfigFile = writeTls(`${MUTUAL}, client_auth_type: RequireAndVerifyClientCert`)
    await using listener = await startListener({ webConfigFile })
    const asking = request('GET', `${listener.url}/metrics`, { tls: { ca: authority.cert, ...impostor } })
    // There may be no response: an invalid signature may end the connection before the request is read.
    const outcome = await asking.catch(() => ({ status: 'cut' }))
    expect(outcome.status).toBeOneOf([403, 'cut'])
  })

  test('accepts the chain of an intermediate CA that is configured with its root', async () => {
    const intermediate = await makeAuthority('intermediate', authority)
    const client = await intermediate.issue('prometheus')
    folder.write('ca.pem', `${intermediate.cert}\n${authority.cert}`)
    const webConfigFile = writeTls(`${MUTUAL}, client_auth_type: RequireAndVerifyClientCert`)
    await using listener = await startListener({ webConfigFile })
    const tls = { ca: authority.cert, ...client }
    expect(await request('GET', `${listener.url}/metrics`, { tls })).toMatchObject({ status: 200 })
    expect(await statusOf(listener, 'foreign')).toBe(403)
  })

  test('requires the certificate for every connection: sessions are not resumed', async () => {
    const webConfigFile = writeTls(`${MUTUAL}, client_auth_type: RequireAndVerifyClientCert`)
    await using listener = await startListener({ webConfigFile })
    const identity = { ca: authority.cert, ...clients.trusted }
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 10, ...identity })
    const resumed: boolean[] = []
    for (let connection = 0; connection < 3; connection += 1) {
      await new Promise<void>((resolve, reject) => {
        const outgoing = httpsGet(`${listener.url}/metrics`, { agent }, (answer) => {
          resumed.push((answer.socket as TLSSocket).isSessionReused())
          answer.resume().once('close', resolve)
        })
        outgoing.once('error', reject)
      })
    }
    expect(resumed).toEqual([false, false, false])
    agent.destroy()
  })
})

describe('a change of files', () => {
  const MUTUAL = `${TLS}, client_ca_file: ca.pem, client_auth_type: RequireAndVerifyClientCert`

  async function certificateOf(listener: StartedListener): Promise<string | undefined> {
    const socket = await handshake(listener)
    const name = socket.getPeerCertificate().subject.CN
    socket.destroy()
    return Array.isArray(name) ? name.join() : name
  }

  /** A keep-alive connection; each call sends one request on it. */
  function keepAlive(listener: StartedListener, client: Client) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.cert, ...clients[client] })
    const ask = () =>
      new Promise<{ status: number; connection: string | undefined; isReused: boolean }>(
        (resolve, reject) => {
          const outgoing = httpsGet(`${listener.url}/metrics`, { agent }, (answer) => {
            const { statusCode: status = 0, headers } = answer
            const { reusedSocket: isReused } = outgoing
            answer.resume().once('end', () => resolve({ status, connection: headers.connection, isReused }))
          })
          outgoing.once('error', reject)
        },
      )
    return { ask, [Symbol.dispose]: () => agent.destroy() }
  }

  test('uses the new certificate for new connections, and closes old connections after a response', async () => {
    await using listener = await startListener({ webConfigFile: writeTls(TLS), limits })
    using kept = keepAlive(listener, 'none')
    await kept.ask()
    expect(await certificateOf(listener)).toBe('one')
    useServer(1)
    expect(await certificateOf(listener)).toBe('two')
    expect(await kept.ask()).toMatchObject({ status: 200, connection: 'close', isReused: true })
    expect(await kept.ask()).toMatchObject({ status: 200, connection: 'keep-alive', isReused: false })
  })

  test('applies a new client CA also to open connections', async () => {
    await using listener = await startListener({ webConfigFile: writeTls(MUTUAL), limits })
    using kept = keepAlive(listener, 'trusted')
    expect(await kept.ask()).toMatchObject({ status: 200 })
    expect(await statusOf(listener, 'foreign')).toBe(403)
    folder.write('ca.pem', other.cert)
    expect(await kept.ask()).toMatchObject({ status: 403, connection: 'close', isReused: true })
    expect(await statusOf(listener, 'trusted')).toBe(403)
    expect(await statusOf(listener, 'foreign')).toBe(200)
  })

  test.each([
    ['the certificate', 'server.pem', 'tls_server_config.cert_file: server.pem contains no certificate'],
    ['the key', 'server.key', 'tls_server_config.key_file: server.key contains no usable private key'],
    ['the client CA', 'ca.pem', 'tls_server_config.client_ca_file: ca.pem contains no certificate'],
  ])(
    'that breaks %s closes everything but the open paths, until it is good again',
    async (_what, file, reason) => {
      const log = recordLog()
      await using listener = await startListener({ webConfigFile: writeTls(MUTUAL), limits, log })
      folder.write(file, 'half a')
      expect([await statusOf(listener, 'trusted'), await statusOf(listener, 'trusted')]).toEqual([500, 500])
      expect(await statusOf(listener, 'none', '/-/healthy')).toBe(200)
      expect(log.lines).toEqual([expect.stringContaining(reason)])
      useServer(1)
      folder.write('ca.pem', authority.cert)
      expect(await statusOf(listener, 'trusted')).toBe(200)
      expect(await certificateOf(listener)).toBe('two')
      expect(log.lines).toHaveLength(2)
    },
  )

  test('that enables or disables TLS refuses requests: it needs a restart', async () => {
    const log = recordLog()
    await using encrypted = await startListener({ webConfigFile: writeTls(TLS), limits, log })
    folder.write('web.yml', '')
    expect(await statusOf(encrypted)).toBe(500)
    await using plain = await startListener({ webConfigFile: folder.write('web.yml', ''), limits, log })
    writeTls(TLS)
    expect((await get(`${plain.url}/metrics`)).status).toBe(500)
    expect((await get(`${plain.url}/-/healthy`)).status).toBe(200)
    expect(log.lines[0]).toContain('TLS was disabled, which needs a restart')
    expect(log.lines.at(-1)).toContain('TLS was enabled, which needs a restart')
  })
})
