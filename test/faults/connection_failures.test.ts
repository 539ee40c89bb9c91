import { describe, expect, test } from 'vitest'
import type { Reason } from '../../src/api/errors/reasons.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import type { TlsOptions } from '../../src/emulator/options.ts'
import { type RawServer, serveRaw } from '../api/http/raw_server.ts'
import { EXPIRED, type Identity, makeAuthority, sansOf, YEAR } from '../server/listener/certificates.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'
import { waitFor } from '../support/wait.ts'
import { pollEverySecond, pollLines, pollTimeoutFor, startExporter } from './exporter_setup.ts'
import { PARALLEL_TIMEOUT_MS, startInParallel } from './parallel.ts'

/** Files and servers of one case. */
interface Resources {
  readonly folder: Folder
  /** Stops the server after the case. */
  readonly stopLater: <T extends { stop(): Promise<void> }>(server: T) => T
}

interface Case {
  /** The YAML of the system without its name and login. */
  readonly system: string
  readonly reason: Reason | 'ok'
  /** Must match the logged error. */
  readonly errorPattern?: RegExp
  /** Whether the certificate is received although polls fail. */
  readonly hasCertificate?: true
}

const POOL = 'urn:storageos:VirtualArray:1'

async function startEmulator(
  { stopLater }: Resources,
  options: Parameters<typeof createEmulator>[0],
): Promise<Emulator> {
  const emulator = stopLater(createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', ...options }))
  await emulator.start()
  return emulator
}

const authority = makeAuthority('Test Authority')
const CLIENT_CERTIFICATE_REQUIRED = { requestCert: true }
// OpenSSL allows TLS 1.1 only below its default security level.
const OLD_TLS: Partial<TlsOptions> = {
  minVersion: 'TLSv1.1',
  maxVersion: 'TLSv1.1',
  ciphers: 'DEFAULT:@SECLEVEL=0',
}

/** A system with a certificate for these names, signed by the authority. */
async function withCertificate(
  resources: Resources,
  names: readonly string[],
  valid = YEAR,
  clients: Partial<TlsOptions> = {},
  rsaBits?: number,
) {
  const { issue, cert } = await authority
  const issued = await issue(names[0] ?? '', sansOf(names), valid, rsaBits)
  const tls = { ...issued, ca: cert, ...clients }
  const { url } = await startEmulator(resources, { tls })
  return { url, caFile: resources.folder.write('ca.pem', cert) }
}

const requiringClientCertificate = (resources: Resources) =>
  withCertificate(resources, ['127.0.0.1'], undefined, CLIENT_CERTIFICATE_REQUIRED)

/** The YAML of a system with a client certificate. */
function withClientCertificate({ folder }: Resources, url: string, caFile: string, client: Identity): string {
  const files = `cert_file: "${folder.write('cert.pem', client.cert)}", key_file: "${folder.write('key.pem', client.key)}"`
  return `base_url: "${url}", tls_config: {ca_file: "${caFile}", ${files}}`
}

const startRawServer = async (
  { stopLater }: Resources,
  onConnection: Parameters<typeof serveRaw>[0],
): Promise<RawServer> => stopLater(await serveRaw(onConnection))

/** Connections to a storage system that fail, and some that succeed. */
const CASES: Readonly<Record<string, (resources: Resources) => Promise<Case>>> = {
  'a closed port': async () => ({
    // Not a port that was free before: another test may listen on it during the retries.
    system: 'base_url: "http://127.0.0.1:1"',
    reason: 'connect',
    errorPattern: /is the service running/,
  }),
  'an unknown host name': async () => ({
    system: 'base_url: "http://no-such-host.invalid:4443"',
    reason: 'dns',
  }),
  'a connection without a response': async (resources) => ({
    system: `base_url: "${(await startRawServer(resources, () => undefined)).url}"`,
    reason: 'timeout',
    errorPattern: /poll\.timeout/,
  }),
  'a TLS handshake without a response': async (resources) => ({
    system: `base_url: "https://127.0.0.1:${(await startRawServer(resources, () => undefined)).port}"`,
    reason: 'timeout',
  }),
  'a connection that is reset': async (resources) => ({
    system: `base_url: "${(await startRawServer(resources, (socket) => socket.resetAndDestroy())).url}"`,
    reason: 'reset',
  }),
  'a port of another protocol': async (resources) => ({
    system: `base_url: "${(await startRawServer(resources, (socket) => socket.end('220 mail ready\r\n'))).url}"`,
    reason: 'reset',
  }),
  'two responses to one request': async (resources) => ({
    system: `base_url: "${(await startRawServer(resources, (socket) => socket.on('data', () => socket.write(`${'HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n'.repeat(2)}`)))).url}"`,
    reason: 'auth',
  }),
  'endless headers': async (resources) => ({
    system: `base_url: "${
      (
        await startRawServer(resources, (socket) => {
          const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 50)
          socket.write('HTTP/1.1 200 OK\r\n')
          socket.once('close', () => clearInterval(drip))
        })
      ).url
    }"`,
    reason: 'timeout',
  }),
  'a self-signed certificate': async (resources) => ({
    system: `base_url: "${(await startEmulator(resources, { tls: await selfSigned({ names: ['127.0.0.1'] }) })).url}"`,
    reason: 'tls',
    errorPattern: /tls_config\.ca_file/,
  }),
  'a certificate of an untrusted authority': async (resources) => ({
    system: `base_url: "${(await withCertificate(resources, ['127.0.0.1'])).url}"`,
    reason: 'tls',
    errorPattern: /tls_config\.ca_file/,
  }),
  'a certificate for another host': async (resources) => {
    const { url, caFile } = await withCertificate(resources, ['ecs1.example.net'])
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'tls',
      errorPattern: /server_name/,
    }
  },
  'an expired certificate': async (resources) => {
    const { url, caFile } = await withCertificate(resources, ['127.0.0.1'], EXPIRED)
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'tls',
      errorPattern: /has expired/,
    }
  },
  'a certificate whose key is too weak': async (resources) => {
    const weak = { ciphers: 'DEFAULT:@SECLEVEL=0' }
    const { url, caFile } = await withCertificate(resources, ['127.0.0.1'], YEAR, weak, 1024)
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'tls',
      errorPattern: /certificate of the system is refused: .*key too weak/i,
    }
  },
  'a missing client certificate with TLS 1.3': async (resources) => {
    const { url, caFile } = await requiringClientCertificate(resources)
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'reset',
      errorPattern: /cert_file/,
      hasCertificate: true,
    }
  },
  'a missing client certificate with TLS 1.2': async (resources) => {
    const { url, caFile } = await withCertificate(resources, ['127.0.0.1'], undefined, {
      ...CLIENT_CERTIFICATE_REQUIRED,
      maxVersion: 'TLSv1.2',
    })
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'tls',
      errorPattern: /cert_file/,
    }
  },
  'a client certificate that the system does not accept': async (resources) => {
    const { url, caFile } = await requiringClientCertificate(resources)
    return {
      system: withClientCertificate(resources, url, caFile, await selfSigned({ names: ['exporter'] })),
      reason: 'reset',
      errorPattern: /does the system accept the client certificate/,
      hasCertificate: true,
    }
  },
  'a system that speaks TLS 1.1 only': async (resources) => {
    const { url, caFile } = await withCertificate(resources, ['127.0.0.1'], undefined, OLD_TLS)
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'tls',
      errorPattern: /does not speak TLS 1\.2/,
    }
  },
  'https to a port of http': async (resources) => ({
    system: `base_url: "${(await startEmulator(resources, {})).url.replace('http:', 'https:')}"`,
    reason: 'tls',
    errorPattern: /does not speak TLS/,
  }),
  'http to a port of https': async (resources) => ({
    system: `base_url: "${(await withCertificate(resources, ['127.0.0.1'])).url.replace('https:', 'http:')}"`,
    reason: 'reset',
    errorPattern: /should base_url begin with https/,
  }),
  'a valid certificate': async (resources) => {
    const { url, caFile } = await withCertificate(resources, ['127.0.0.1'])
    return { system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`, reason: 'ok' }
  },
  'a certificate for server_name': async (resources) => {
    const { url, caFile } = await withCertificate(resources, ['ecs1.example.net'])
    const tls = `{ca_file: "${caFile}", server_name: ecs1.example.net}`
    return { system: `base_url: "${url}", tls_config: ${tls}`, reason: 'ok' }
  },
  'an invalid certificate with insecure_skip_verify': async (resources) => {
    const { url } = await withCertificate(resources, ['ecs1.example.net'], EXPIRED)
    return { system: `base_url: "${url}", tls_config: {insecure_skip_verify: true}`, reason: 'ok' }
  },
  'a client certificate': async (resources) => {
    const { url, caFile } = await requiringClientCertificate(resources)
    const client = await (await authority).issue('exporter')
    return { system: withClientCertificate(resources, url, caFile, client), reason: 'ok' }
  },
}

async function runCase(prepare: (resources: Resources) => Promise<Case>): Promise<void> {
  using folder = temporaryFolder()
  const servers: { stop(): Promise<void> }[] = []
  const resources: Resources = {
    folder,
    stopLater: (server) => {
      servers.push(server)
      return server
    },
  }
  const { system, reason, errorPattern = /./, hasCertificate = reason === 'ok' } = await prepare(resources)
  const healthy = await startEmulator(resources, { pools: 1 })
  const [pool] = healthy.pools
  const auth = 'auth: {username: monitor, password: emulator}'
  {
    await using setup = await startExporter(`systems:
  - {name: faulty, ${auth}, pools: [{id: "${POOL}"}], ${system}}
  - {name: healthy, ${auth}, base_url: "${healthy.url}"}
${pollEverySecond(pollTimeoutFor(reason))}`)
    const result = reason === 'ok' ? 'not_found' : reason
    // An emulator that is reached answers 404, because it has no such pool.
    await waitFor(async () => (await setup.polls(POOL, result)) > 0, { what: `a poll that is ${result}` })
    await setup.waitForPolls(pool?.id ?? '', 'ok', 2)
    expect(await setup.value('sds_pool_up', { system: 'faulty' })).toBe(0)
    expect(await setup.value('sds_pool_up', { system: 'healthy' })).toBe(1)
    expect(await setup.value('sds_system_up', { system: 'healthy' })).toBe(1)
    const answers = reason === 'ok' || reason === 'auth' ? 1 : 0
    expect(await setup.value('sds_system_up', { system: 'faulty' })).toBe(answers)
    expect(pollLines(setup.log, POOL)).toEqual([`warn poll failed ${result}`])
    expect(setup.log.find(({ message }) => message === 'poll failed')?.fields['error']).toMatch(errorPattern)
    const notAfter = await setup.value('sds_system_tls_not_after_timestamp_seconds', { system: 'faulty' })
    if (hasCertificate) expect(Math.abs((notAfter ?? 0) - Date.now() / 1000)).toBeGreaterThan(80_000)
    else expect(notAfter).toBeUndefined()
  }
  for (const server of servers) await server.stop()
}

describe('the connection to a system', () => {
  const indexes = new Map(Object.keys(CASES).map((name, index) => [name, index]))
  const running = startInParallel(Object.values(CASES), runCase)
  test.each(Object.keys(CASES))(
    '%s',
    async (name) => {
      await running[indexes.get(name) ?? -1]
    },
    PARALLEL_TIMEOUT_MS,
  )
})
