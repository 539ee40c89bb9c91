import { describe, expect, test } from 'vitest'
import type { Reason } from '../../src/api/errors/reasons.ts'
import { createAuthority, expiredDates, selfSigned } from '../../src/emulator/certificates.ts'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import type { TlsOptions } from '../../src/emulator/options.ts'
import { type RawServer, serveRaw } from '../api/http/raw_server.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { waitFor } from '../support/wait.ts'
import { pollLines, pollTimeoutFor, quickly, startLab } from './lab.ts'
import { SIDE_BY_SIDE_TIMEOUT_MS, sideBySide } from './side_by_side.ts'

/** What a row needs, and what it leaves behind. */
interface Yard {
  readonly folder: Folder
  /** Ended after the row. */
  readonly own: <T extends { stop(): Promise<void> }>(thing: T) => T
}

interface Way {
  /** The YAML of the system besides its name and its login. */
  readonly system: string
  readonly reason: Reason | 'ok'
  /** What the log must tell besides the reason. */
  readonly words?: RegExp
  /** Whether the certificate is seen, although the way is a bad one. */
  readonly certificate?: true
}

const POOL = 'urn:storageos:VirtualArray:1'

async function emulated({ own }: Yard, options: Parameters<typeof createEmulator>[0]): Promise<Emulator> {
  const emulator = own(createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', ...options }))
  await emulator.start()
  return emulator
}

const authority = createAuthority('Test Authority')
const WANTED = { requireClientCertificate: true }

/** A system whose certificate is for these names, signed by the authority. */
async function certified(
  yard: Yard,
  names: readonly string[],
  dates = {},
  clients: Partial<TlsOptions> = {},
) {
  const { issue, cert } = await authority
  const own = await issue({ names, ...dates })
  const tls = { ...own, ca: cert, ...clients }
  const { url } = await emulated(yard, { tls })
  return { url, caFile: yard.folder.write('ca.pem', cert) }
}

const raw = async ({ own }: Yard, onConnection: Parameters<typeof serveRaw>[0]): Promise<RawServer> =>
  own(await serveRaw(onConnection))

/** Ways to a storage system, good and bad. */
const WAYS: Readonly<Record<string, (yard: Yard) => Promise<Way>>> = {
  'a port that refuses': async () => ({
    // Not one that was free a moment ago: the next lab may listen on it before the third attempt.
    system: 'base_url: "http://127.0.0.1:1"',
    reason: 'connect',
    words: /is the service running/,
  }),
  'a name that nobody knows': async () => ({
    system: 'base_url: "http://no-such-host.invalid:4443"',
    reason: 'dns',
  }),
  'a connection that is taken and never answered': async (yard) => ({
    system: `base_url: "${(await raw(yard, () => undefined)).url}"`,
    reason: 'timeout',
    words: /poll\.timeout/,
  }),
  'a TLS connection that is taken and never answered': async (yard) => ({
    system: `base_url: "https://127.0.0.1:${(await raw(yard, () => undefined)).port}"`,
    reason: 'timeout',
  }),
  'a connection that is reset at once': async (yard) => ({
    system: `base_url: "${(await raw(yard, (socket) => socket.resetAndDestroy())).url}"`,
    reason: 'reset',
  }),
  'a port that speaks something else': async (yard) => ({
    system: `base_url: "${(await raw(yard, (socket) => socket.end('220 mail ready\r\n'))).url}"`,
    reason: 'reset',
  }),
  'two answers to one question': async (yard) => ({
    system: `base_url: "${(await raw(yard, (socket) => socket.on('data', () => socket.write(`${'HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n'.repeat(2)}`)))).url}"`,
    reason: 'auth',
  }),
  'headers that never end': async (yard) => ({
    system: `base_url: "${
      (
        await raw(yard, (socket) => {
          const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 50)
          socket.write('HTTP/1.1 200 OK\r\n')
          socket.once('close', () => clearInterval(drip))
        })
      ).url
    }"`,
    reason: 'timeout',
  }),
  'a certificate that is not trusted': async (yard) => ({
    system: `base_url: "${(await emulated(yard, { tls: await selfSigned({ names: ['127.0.0.1'] }) })).url}"`,
    reason: 'tls',
    words: /tls_config\.ca_file/,
  }),
  'an authority that is not trusted': async (yard) => ({
    system: `base_url: "${(await certified(yard, ['127.0.0.1'])).url}"`,
    reason: 'tls',
    words: /tls_config\.ca_file/,
  }),
  'a certificate for another host': async (yard) => {
    const { url, caFile } = await certified(yard, ['ecs1.example.net'])
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'tls',
      words: /server_name/,
    }
  },
  'a certificate that has expired': async (yard) => {
    const { url, caFile } = await certified(yard, ['127.0.0.1'], expiredDates(Date.now()))
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'tls',
      words: /has expired/,
    }
  },
  'a certificate of the client that is wanted': async (yard) => {
    const { url, caFile } = await certified(yard, ['127.0.0.1'], {}, WANTED)
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'reset',
      words: /cert_file/,
      certificate: true,
    }
  },
  'a certificate of the client that is wanted, by TLS 1.2': async (yard) => {
    const { url, caFile } = await certified(yard, ['127.0.0.1'], {}, { ...WANTED, maxVersion: 'TLSv1.2' })
    return {
      system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`,
      reason: 'tls',
      words: /cert_file/,
    }
  },
  'TLS where none is spoken': async (yard) => ({
    system: `base_url: "${(await emulated(yard, {})).url.replace('http:', 'https:')}"`,
    reason: 'tls',
    words: /does not speak TLS/,
  }),
  'no TLS where it is spoken': async (yard) => ({
    system: `base_url: "${(await certified(yard, ['127.0.0.1'])).url.replace('https:', 'http:')}"`,
    reason: 'reset',
  }),
  'a certificate that is good': async (yard) => {
    const { url, caFile } = await certified(yard, ['127.0.0.1'])
    return { system: `base_url: "${url}", tls_config: {ca_file: "${caFile}"}`, reason: 'ok' }
  },
  'a certificate for the name that is configured': async (yard) => {
    const { url, caFile } = await certified(yard, ['ecs1.example.net'])
    const tls = `{ca_file: "${caFile}", server_name: ecs1.example.net}`
    return { system: `base_url: "${url}", tls_config: ${tls}`, reason: 'ok' }
  },
  'a certificate that nobody looks at': async (yard) => {
    const { url } = await certified(yard, ['ecs1.example.net'], expiredDates(Date.now()))
    return { system: `base_url: "${url}", tls_config: {insecure_skip_verify: true}`, reason: 'ok' }
  },
  'a certificate of the client that is shown': async (yard) => {
    const { url, caFile } = await certified(yard, ['127.0.0.1'], {}, WANTED)
    const { cert, key } = await (await authority).issue({ names: ['exporter'] })
    const files = `cert_file: "${yard.folder.write('cert.pem', cert)}", key_file: "${yard.folder.write('key.pem', key)}"`
    return { system: `base_url: "${url}", tls_config: {ca_file: "${caFile}", ${files}}`, reason: 'ok' }
  },
}

async function play(way: (yard: Yard) => Promise<Way>): Promise<void> {
  using folder = temporaryFolder()
  const things: { stop(): Promise<void> }[] = []
  const yard: Yard = {
    folder,
    own: (thing) => {
      things.push(thing)
      return thing
    },
  }
  const { system, reason, words = /./, certificate = reason === 'ok' } = await way(yard)
  const healthy = await emulated(yard, { pools: 1 })
  const [pool] = healthy.pools
  const auth = 'auth: {username: monitor, password: emulator}'
  {
    await using lab = await startLab(`systems:
  - {name: sick, ${auth}, pools: [{id: "${POOL}"}], ${system}}
  - {name: well, ${auth}, base_url: "${healthy.url}"}
${quickly(pollTimeoutFor(reason))}`)
    const result = reason === 'ok' ? 'not_found' : reason
    // The emulator behind a good way knows nothing of this pool, and says so.
    await waitFor(async () => (await lab.polls(POOL, result)) > 0, { what: `a poll that is ${result}` })
    await lab.waitForPolls(pool?.id ?? '', 'ok', 2)
    expect(await lab.value('sds_pool_up', { system: 'sick' })).toBe(0)
    expect(await lab.value('sds_pool_up', { system: 'well' })).toBe(1)
    expect(await lab.value('sds_system_up', { system: 'well' })).toBe(1)
    const answers = reason === 'ok' || reason === 'auth' ? 1 : 0
    expect(await lab.value('sds_system_up', { system: 'sick' })).toBe(answers)
    expect(pollLines(lab.log, POOL)).toEqual([`warn poll failed ${result}`])
    expect(lab.log.find(({ message }) => message === 'poll failed')?.fields['error']).toMatch(words)
    const notAfter = await lab.value('sds_system_tls_not_after_timestamp_seconds', { system: 'sick' })
    if (certificate) expect(Math.abs((notAfter ?? 0) - Date.now() / 1000)).toBeGreaterThan(80_000)
    else expect(notAfter).toBeUndefined()
  }
  for (const thing of things) await thing.stop()
}

describe('the way to a system', () => {
  const plays = new Map(Object.keys(WAYS).map((name, index) => [name, index]))
  const running = sideBySide(Object.values(WAYS), play)
  test.each(Object.keys(WAYS))(
    '%s',
    async (name) => {
      await running[plays.get(name) ?? -1]
    },
    SIDE_BY_SIDE_TIMEOUT_MS,
  )
})
