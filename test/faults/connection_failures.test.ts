import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { ApiError } from '../../src/api/errors/errors.ts'
import type { Reason } from '../../src/api/errors/reasons.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import type { TlsOptions } from '../../src/emulator/options.ts'
import { startClient } from '../api/client_setup.ts'
import { serveRaw } from '../api/http/raw_server.ts'
import { never } from '../api/http/responses.ts'
import { EXPIRED, type Identity, makeAuthority, sansOf, YEAR } from '../server/listener/certificates.ts'
import { temporaryFolder } from '../support/folders.ts'
import { createEmulator } from '../support/programs/emulator.ts'

const authority = makeAuthority('Test Authority')
/** The emulated system has no such pool. */
const POOL = 'urn:storageos:VirtualArray:1'

function write(name: string, text: string): string {
  const folder = temporaryFolder()
  onTestFinished(folder[Symbol.dispose])
  return folder.write(name, text)
}

async function emulatorUrl(tls?: TlsOptions): Promise<string> {
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', ...(tls && { tls }) })
  await emulator.start()
  onTestFinished(emulator.stop)
  return emulator.url
}

const yamlOf = (url: string) => `base_url: "${url}"`

/** The YAML of a system with this server. */
const raw =
  (onConnection: Parameters<typeof serveRaw>[0], scheme = 'http') =>
  async (): Promise<string> => {
    const server = await serveRaw(onConnection)
    onTestFinished(server.stop)
    return yamlOf(`${scheme}://127.0.0.1:${server.port}`)
  }

interface Certificate {
  readonly name?: string
  readonly valid?: typeof YEAR
  readonly rsaBits?: number
  readonly tls?: Partial<TlsOptions>
  /** Of the exporter. */
  readonly client?: Identity
  /** Replaces `ca_file` of the authority that issued the certificate. */
  readonly settings?: string
}

/** The YAML of a system with this certificate, signed by the authority. */
async function withCertificate(certificate: Certificate = {}): Promise<string> {
  const { name = '127.0.0.1', valid = YEAR, rsaBits, tls, client, settings } = certificate
  const { issue, cert } = await authority
  const url = await emulatorUrl({ ...(await issue(name, sansOf([name]), valid, rsaBits)), ca: cert, ...tls })
  const own =
    client && `cert_file: "${write('cert.pem', client.cert)}", key_file: "${write('key.pem', client.key)}"`
  const known = settings ?? `ca_file: "${write('ca.pem', cert)}"`
  return `base_url: "${url}", tls_config: {${[known, own].filter(Boolean).join(', ')}}`
}

const OTHER_HOST = 'ecs1.example.net'
const CLIENTS = { requestCert: true }
const CLIENTS_1_2 = { ...CLIENTS, maxVersion: 'TLSv1.2' } as const
const CA_FILE = /tls_config\.ca_file/
const WEAK_KEY = /certificate of the system is refused: .*key too weak/i
const REFUSAL = 'HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n'
const anyCertificate = () => selfSigned({ names: ['127.0.0.1'] })

function dripHeaders(socket: Socket): void {
  const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 50)
  socket.write('HTTP/1.1 200 OK\r\n')
  socket.once('close', () => clearInterval(drip))
}

// OpenSSL allows old TLS and weak keys only below its default security level.
const WEAK = { ciphers: 'DEFAULT:@SECLEVEL=0' }
const OLD = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ...WEAK } as const

/** The YAML of a system without its name and login, the reason of the failure, and a pattern of message and remedy. */
type Case = [name: string, prepare: () => Promise<string>, reason: Reason, pattern?: RegExp]
const CASES: readonly Case[] = [
  // Not a port that was free before: another test may listen on it during the retries.
  ['a closed port', async () => 'base_url: "http://127.0.0.1:1"', 'connect', /is the service running/],
  ['an unknown host name', async () => 'base_url: "http://no-such-host.invalid:4443"', 'dns'],
  ['a connection without a response', raw(() => undefined), 'timeout', /poll\.timeout/],
  ['a TLS handshake without a response', raw(() => undefined, 'https'), 'timeout'],
  ['a connection that is reset', raw((socket) => socket.resetAndDestroy()), 'reset'],
  ['a port of another protocol', raw((socket) => socket.end('220 mail ready\r\n')), 'reset'],
  [
    'two responses to one request',
    raw((socket) => socket.on('data', () => socket.write(REFUSAL.repeat(2)))),
    'auth',
  ],
  ['endless headers', raw(dripHeaders), 'timeout'],
  [
    'a self-signed certificate',
    async () => yamlOf(await emulatorUrl(await anyCertificate())),
    'tls',
    CA_FILE,
  ],
  ['a certificate of an untrusted authority', () => withCertificate({ settings: '' }), 'tls', CA_FILE],
  ['a certificate for another host', () => withCertificate({ name: OTHER_HOST }), 'tls', /server_name/],
  ['an expired certificate', () => withCertificate({ valid: EXPIRED }), 'tls', /has expired/],
  [
    'a certificate whose key is too weak',
    () => withCertificate({ rsaBits: 1024, tls: WEAK }),
    'tls',
    WEAK_KEY,
  ],
  ['no client certificate with TLS 1.3', () => withCertificate({ tls: CLIENTS }), 'reset', /cert_file/],
  ['no client certificate with TLS 1.2', () => withCertificate({ tls: CLIENTS_1_2 }), 'tls', /cert_file/],
  [
    'a client certificate that the system does not accept',
    async () => withCertificate({ tls: CLIENTS, client: await anyCertificate() }),
    'reset',
    /does the system accept the client certificate/,
  ],
  [
    'a system that speaks TLS 1.1 only',
    () => withCertificate({ tls: OLD }),
    'tls',
    /does not speak TLS 1\.2/,
  ],
  [
    'https to a port of http',
    async () => yamlOf((await emulatorUrl()).replace('http:', 'https:')),
    'tls',
    /does not speak TLS/,
  ],
  [
    'http to a port of https',
    async () => (await withCertificate()).replace('https:', 'http:').replace(/, tls_config.*/, ''),
    'reset',
    /should base_url begin with https/,
  ],
  ['a valid certificate', () => withCertificate(), 'not_found'],
  [
    'a certificate for server_name',
    async () =>
      (await withCertificate({ name: OTHER_HOST })).replace('{ca', `{server_name: ${OTHER_HOST}, ca`),
    'not_found',
  ],
  [
    'an invalid certificate with insecure_skip_verify',
    () => withCertificate({ name: OTHER_HOST, valid: EXPIRED, settings: 'insecure_skip_verify: true' }),
    'not_found',
  ],
  [
    'a client certificate',
    async () => withCertificate({ tls: CLIENTS, client: await (await authority).issue('exporter') }),
    'not_found',
  ],
]

test.each<Case>(CASES)('a poll of a system with %s', async (_, prepare, reason, pattern = /./) => {
  const system = `{name: a, auth: {username: monitor, password: emulator}, ${await prepare()}}`
  // The test waits for requests that time out.
  const timeout = reason === 'timeout' ? '2s' : '60s'
  await using setup = startClient(system, `limits: {requests_per_second: 1000}\npoll: {timeout: ${timeout}}`)
  const failure = await setup.client.nodes(POOL, never()).catch((cause: ApiError) => cause)
  expect(failure).toMatchObject({ reason })
  const { message, remedy } = failure as ApiError
  expect(`${message} ${remedy}`).toMatch(pattern)
})
