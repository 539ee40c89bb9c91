import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { selfSigned } from '../../../src/emulator/certificates.ts'
import { startEmulator } from '../../api/client_setup.ts'
import { EXPIRED, makeAuthority, sansOf, YEAR } from '../../server/listener/certificates.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { freePort } from '../../support/ports.ts'
import { CHECKS, checksAfter, examine, examineEmulator, finding, MONITOR, runServer } from './doctor_setup.ts'

const DAY_MS = 86_400_000

describe('a healthy system', () => {
  test.each(['documented', 'classic', 'modern'] as const)(
    'of the profile %s has nothing wrong',
    async (profile) => {
      const found = await examineEmulator({ pools: 2, nodes: 3, profile })
      expect(['warn', 'fail', 'skip'].flatMap((status) => found.with(status as 'warn'))).toEqual([])
      // The release of the API document has no Flux API, and needs none.
      const expected = profile === 'documented' ? CHECKS.filter((title) => title !== 'query') : CHECKS
      expect(found.with('ok')).toEqual(expected)
    },
  )

  test('gets few requests and keeps no session', async () => {
    await using emulator = await startEmulator({ pools: 3, nodes: 1 })
    await examine({ base_url: emulator.url })
    expect(emulator.log.logins()).toEqual({ granted: 1, refused: 0 })
    expect(emulator.liveSessions('monitor')).toBe(0)
    const counts = (['whoami', 'pools', 'nodes', 'forecast', 'logout'] as const).map((operation) =>
      emulator.log.count(operation),
    )
    // The list of pools and its values, two reads per pool, and of each pool one forecast for each time frame.
    expect(counts).toEqual([1, 2, 6, 6, 1])
  })
})

describe('configuration', () => {
  test.each([
    [{ performance: { schedule: '0 */15 * * * *' } }, true],
    [{ performance: { schedule: '0 */10 * * * *' } }, false],
    [{ performance: { schedule: '0 */15 * * * *', source: 'feed' } }, false],
    [{ performance: { schedule: '0 */15 * * * *' }, poll: { stale_after: '27m' } }, false],
    [{ performance: { schedule: '0 */5 * * * *' } }, false],
    [{ performance: { schedule: '' } }, false],
  ])('warns of a query interval whose values are too old before the next one: %j', async (rest, expected) => {
    const poll = { timeout: '1s', ...('poll' in rest && rest.poll) }
    const found = (await examine({ base_url: 'http://127.0.0.1:1' }, { ...rest, poll })).of('configuration')
    const text =
      'performance.schedule queries every 15m, but values are removed at an age of 22m, and are up to 12m old when they arrive: metrics will have gaps'
    expect(found.some((finding) => finding.text === text)).toBe(expected)
  })

  test('warns of a poll interval above poll.stale_after', async () => {
    const rest = { poll: { schedule: '0 */10 * * * *', stale_after: '5m', timeout: '1s' } }
    const [finding] = (await examine({ base_url: 'http://127.0.0.1:1' }, rest)).of('configuration')
    expect(finding?.text).toMatch(/polls every 10m, but poll.stale_after removes values after 5m/)
  })
})

test('names fails on an unknown host, and skips dependent checks', async () => {
  const found = await examine({ base_url: 'https://no-such-host.invalid:4443' })
  expect(found.of('names')).toEqual([
    finding(
      'fail',
      /host name is unknown|name server did not answer/,
      'correct the host name in base_url, or the name servers of this machine',
      'no-such-host.invalid',
    ),
  ])
  expect(found.with('skip')).toEqual(checksAfter('names'))
  expect(found.of('connection')).toEqual([{ status: 'skip', text: 'skipped: needs names' }])
  expect(found.of('role')).toEqual([{ status: 'skip', text: 'skipped: needs login' }])
})

describe('connection', () => {
  test('fails on a refused connection', async () => {
    const port = await freePort()
    const found = await examine({ base_url: `http://127.0.0.1:${port}` })
    expect(found.of('connection')).toEqual([
      finding(
        'fail',
        'connection refused: is the service running, and the port right? [ECONNREFUSED]',
        /host and port of base_url/,
        `127.0.0.1:${port}`,
      ),
    ])
    expect(found.with('skip')).toEqual(checksAfter('connection'))
  })

  test('fails on http:// and a port with TLS', async () => {
    const tls = await selfSigned({ names: ['127.0.0.1'] })
    await using emulator = await startEmulator({ pools: 1, nodes: 1, tls })
    const found = await examine({ base_url: emulator.url.replace('https:', 'http:') })
    expect(found.of('http')).toEqual([
      finding('fail', /should base_url begin with https:/, /port of base_url/, new URL(emulator.url).host),
    ])
  })

  test('fails on https:// and a port without TLS', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const found = await examine({ base_url: emulator.url.replace('http:', 'https:') })
    expect(found.of('connection')).toMatchObject([
      finding('fail', /^the port does not speak TLS/, /^correct the port in base_url .* write http:\/\//),
    ])
  })

  test('names the fingerprint of a self-signed certificate, and saves it', async () => {
    using folder = temporaryFolder()
    const tls = await selfSigned({ names: ['127.0.0.1'] })
    await using emulator = await startEmulator({ pools: 1, nodes: 1, tls })
    const { fingerprint256 } = new X509Certificate(tls.cert)
    const file = `${folder.path}/ca.pem`
    const [first] = (await examine({ base_url: emulator.url })).of('connection')
    expect(first).toMatchObject({
      status: 'fail',
      remedy: `compare the SHA-256 fingerprint ${fingerprint256} with that of the certificate on the system; if it is the same, run sds-exporter doctor --config.file=sds-exporter.yml --system=frankfurt --save-certificate=frankfurt-ca.pem and set tls_config.ca_file to that file`,
    })
    const saving = await examine({ base_url: emulator.url }, {}, undefined, file)
    expect(saving.of('connection')).toMatchObject([
      { status: 'fail' },
      { status: 'info', text: `wrote ${file}, with the SHA-256 fingerprint ${fingerprint256}` },
    ])
    const found = await examine({ base_url: emulator.url, tls_config: { ca_file: file } })
    expect(found.of('connection')).toMatchObject([{ status: 'ok' }])
    // A file that may have other content is not replaced.
    for (const content of ['systems: []', `${tls.cert}${(await selfSigned({ names: ['b'] })).cert}`]) {
      const other = folder.write('other.pem', content)
      const again = await examine({ base_url: emulator.url }, {}, undefined, other)
      expect(again.of('connection')).toMatchObject([
        { status: 'fail' },
        finding('fail', `${other} exists, and may have other content than the certificates of this system`),
      ])
      expect(readFileSync(other, 'utf8')).toBe(content)
    }
  })

  test('saves no certificate that could not be trusted', async () => {
    using folder = temporaryFolder()
    const authority = await makeAuthority('Storage Authority')
    const tls = await authority.issue('127.0.0.1', sansOf(['127.0.0.1']), YEAR)
    const found = await examineEmulator({ tls }, {}, {}, undefined, `${folder.path}/ca.pem`)
    expect(found.of('connection')).toMatchObject([
      { status: 'fail' },
      { status: 'fail', text: 'the system sends no root certificate that could be saved' },
    ])
    expect(existsSync(`${folder.path}/ca.pem`)).toBe(false)
  })

  /** What the certificate is, of the authority "Storage Authority", and what the exporter knows of it. */
  interface Certificate {
    readonly name?: string
    readonly valid?: typeof YEAR
    readonly trusted?: string
    readonly more?: object
  }
  const ADDRESS = '127.0.0.1'
  const SOON = { ...YEAR, to: new Date(Date.now() + 5.5 * DAY_MS) }
  const UNVERIFIED = { insecure_skip_verify: true }
  const CERTIFICATE =
    /^TLSv1\.3, certificate for 127\.0\.0\.1, issued by Storage Authority, 36\d days left \(until \d{4}-\d\d-\d\d\)$/
  const UNKNOWN_ISSUER = /certificates in tls_config\.ca_file did not issue .*UNABLE_TO_VERIFY_LEAF_SIGNATURE/
  const ADD_ISSUER =
    /^add the certificate of its issuer \(Storage Authority\) to tls_config\.ca_file \(.*ca\.pem\)/
  const UNKNOWN = /authority is unknown.*UNABLE_TO_VERIFY_LEAF_SIGNATURE/
  const SET_FILE = /issuer \(Storage Authority\) and set tls_config\.ca_file/
  const RENEW = 'renew the certificate on the system'

  test.each<[string, Certificate, ReturnType<typeof finding>]>([
    ['a valid certificate', {}, finding('ok', CERTIFICATE)],
    ['the file of another CA', { trusted: 'Other' }, finding('fail', UNKNOWN_ISSUER, ADD_ISSUER)],
    ['an unknown CA', { trusted: '' }, finding('fail', UNKNOWN, SET_FILE)],
    [
      'another name',
      { name: 'storage.example' },
      finding('fail', /for another host name.*ALTNAME/, /server_name.*DNS:storage\.example/),
    ],
    [
      'an expired certificate',
      { valid: EXPIRED },
      finding('fail', /has expired \[CERT_HAS_EXPIRED\].*expired on \d{4}/, RENEW),
    ],
    [
      'a certificate that expires soon',
      { valid: SOON },
      finding('warn', / 5 days left .*expires soon/, /^renew/),
    ],
    [
      'an invalid certificate without verification',
      { name: 'storage.example', trusted: 'Other', more: UNVERIFIED },
      finding('warn', /not verified/, /ca_file/),
    ],
  ])('describes %s', async (_, { name = ADDRESS, valid = YEAR, trusted, more }, expected) => {
    using folder = temporaryFolder()
    const authority = await makeAuthority('Storage Authority')
    const known = trusted === undefined ? authority : await makeAuthority(trusted)
    const tls = await authority.issue(name, sansOf([name]), valid)
    const ca_file = trusted === '' ? '' : folder.write('ca.pem', known.cert)
    const found = await examineEmulator({ tls }, { tls_config: { ca_file, ...more } })
    expect(found.of('connection')).toMatchObject([expected])
    const fails = expected.status === 'fail'
    expect(found.with('fail')).toEqual(fails ? ['connection'] : [])
    expect(found.with('skip')).toEqual(fails ? checksAfter('connection') : [])
  })

  test('fails if the system requires a client certificate', async () => {
    const authority = await makeAuthority('Storage Authority')
    using folder = temporaryFolder()
    const ca_file = folder.write('ca.pem', authority.cert)
    const tls = {
      ...(await authority.issue('127.0.0.1', sansOf(['127.0.0.1']))),
      ca: authority.cert,
      requestCert: true,
    }
    const found = await examineEmulator({ tls }, { tls_config: { ca_file } })
    expect(found.of('http')).toMatchObject([finding('fail', /cert_file and key_file/)])
  })
})

describe('http', () => {
  test('fails on a proxy that wants TLS, and says what to write', async () => {
    const page = '<html><title>400 The plain HTTP request was sent to HTTPS port</title></html>'
    await using proxy = await runServer(createServer((_, response) => response.writeHead(400).end(page)))
    expect((await examine({ base_url: proxy.url })).of('http')).toMatchObject([
      finding('fail', 'the port speaks TLS: base_url must begin with https://', 'write https:// in base_url'),
    ])
  })

  const PAGE = /^HTML or XML came instead of JSON/
  test.each([
    ['html', finding('fail', PAGE, /without a proxy or a login form in between/)],
    ['garbage', finding('fail', /^the port speaks TLS/, /write https:\/\//)],
    ['half-open', finding('fail', undefined, /increase poll\.timeout/)],
    ['status:403@providers,first=1', finding('warn', undefined, /accepted server names/)],
  ])('%s is described', async (fault, expected) => {
    const found = await examineEmulator({ faults: [fault] }, {}, { poll: { timeout: '2s' } })
    expect(found.of('http')).toMatchObject([expected])
    if (expected.status === 'fail')
      expect(found.of('login')).toEqual([{ status: 'skip', text: 'skipped: needs http' }])
  })

  test('warns if one of several addresses fails', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    await using proxy = await runServer(createServer((_, response) => response.end('<html>welcome</html>')))
    const found = await examine({ base_url: [proxy.url, emulator.url] })
    expect(found.of('http').map(({ status }) => status)).toEqual(['warn', 'ok'])
    expect(found.with('fail')).toEqual([])
  })
})

describe('clock', () => {
  test.each([
    ['behind', -3600],
    ['ahead of', 7200],
  ])('warns of a clock that is %s the local clock', async (word, seconds) => {
    const clock = () => Date.now() + seconds * 1000
    const found = await examineEmulator({ clock })
    expect(found.of('clock')).toMatchObject([
      finding('warn', new RegExp(` s ${word} that of this machine`), /NTP/),
    ])
    // Ages are calculated by the clock of the system.
    expect(found.of('samples')).toMatchObject([{ status: 'ok' }])
  })
})

describe('login', () => {
  test('fails on a wrong password after one attempt, with the message of the system', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const found = await examine({ base_url: emulator.url, auth: { ...MONITOR, password: 'canary-password' } })
    expect(found.of('login')).toEqual([
      finding(
        'fail',
        /HTTP 401, code 401.*it says: .*invalid or expired credentials/,
        /^correct the user name or the password, or unlock the account \(auth\.username, and .* auth\.password\)$/,
      ),
    ])
    expect(found.with('skip')).toEqual(checksAfter('login'))
    expect(emulator.log.logins()).toEqual({ granted: 0, refused: 1 })
    expect(JSON.stringify(CHECKS.map(found.of))).not.toContain('canary-password')
  })

  test.each([
    [
      { username: 'monitor', password_file: 'FILE' },
      /^correct the user name or the password.* \(auth\.username, and the password in \S+secret\)$/,
    ],
    [{ token_file: 'FILE' }, /^write a new token to \S+secret; tokens expire/],
    [{ token: 'no-such-token' }, /^set auth\.token to a new token; tokens expire/],
  ])('names the setting to correct for %j', async (auth, remedy) => {
    using folder = temporaryFolder()
    const file = folder.write('secret', 'no-such-token')
    const written = Object.fromEntries(
      Object.entries(auth).map(([key, value]) => [key, value === 'FILE' ? file : value]),
    )
    const [finding] = (await examineEmulator({}, { auth: written })).of('login')
    expect(finding).toMatchObject({ status: 'fail', remedy: expect.stringMatching(remedy) })
  })

  test.each(['status:500,code=6401', 'status:403'])(
    'does not call a token accepted after %s',
    async (fault) => {
      await using emulator = await startEmulator({ pools: 1, nodes: 1, faults: [fault] })
      const found = await examine({ base_url: emulator.url, auth: { token: 'emulator-monitor' } })
      expect(found.of('login')).toMatchObject([
        finding(
          'warn',
          /^whoami, which every role may read, is refused: .*HTTP (500|403)/,
          /set auth\.token to a new token/,
        ),
      ])
      expect(found.of('pools')).toMatchObject([{ status: 'fail' }])
    },
  )

  test('continues if the system has no whoami', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1, faults: ['status:404@whoami'] })
    const found = await examine({ base_url: emulator.url })
    expect(found.of('login')).toEqual([
      { status: 'info', text: 'monitor is logged in, but the system does not support whoami' },
    ])
    expect(found.of('role')).toMatchObject([{ status: 'info' }])
    expect(found.of('values')).toMatchObject([{ status: 'ok' }])
    expect(emulator.log.logins()).toEqual({ granted: 1, refused: 0 })
    expect(emulator.liveSessions('monitor')).toBe(0)
  })
})

describe('role', () => {
  test('fails on an account without permission to read', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const found = await examine({
      base_url: emulator.url,
      auth: { username: 'security', password: 'emulator' },
    })
    expect(found.of('role')).toEqual([
      finding(
        'fail',
        'security has SECURITY_ADMIN, which cannot read the nodes',
        'assign only the role SYSTEM_MONITOR to the account',
      ),
    ])
  })

  test('warns of more permissions than needed', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const found = await examine({ base_url: emulator.url, auth: { token: 'emulator-admin' } })
    expect(found.of('role')).toMatchObject([
      { status: 'warn', text: 'admin has SYSTEM_ADMIN: more permissions than needed' },
    ])
    expect(found.with('fail')).toEqual([])
  })
})

test.each([
  ['the time limit', new DOMException('', 'TimeoutError'), 'time limit reached'],
  ['Ctrl+C', new Error('interrupted'), 'interrupted'],
])('skips all checks after %s', async (_, reason, why) => {
  const found = await examineEmulator({}, {}, {}, AbortSignal.abort(reason))
  expect(found.with('skip')).toEqual(CHECKS)
  expect(found.of('login')).toEqual([{ status: 'skip', text: `skipped: ${why}` }])
})
