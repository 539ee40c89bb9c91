import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/config/values/problems.ts'
import { loadWebFile } from '../../../src/config/web/file.ts'
import { secureContextOptions } from '../../../src/config/web/tls.ts'
import { LOCAL_SANS, makeAuthority } from '../../server/listener/certificates.ts'
import { temporaryFolder } from '../../support/folders.ts'

const HASH = '$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG'
const TLS = 'cert_file: server.pem, key_file: server.key'
const MUTUAL = `${TLS}, client_ca_file: ca.pem`
const folder = temporaryFolder()

beforeAll(async () => {
  const authority = await makeAuthority('test CA')
  const server = await authority.issue('server', LOCAL_SANS)
  const other = await authority.issue('other', LOCAL_SANS)
  folder.write('ca.pem', authority.cert)
  folder.write('server.pem', server.cert)
  folder.write('chain.pem', `${server.cert}\n${authority.cert}\n`)
  folder.write('trusted.pem', server.cert.replaceAll(/(BEGIN|END) /g, '$1 TRUSTED '))
  folder.write('server.key', server.key)
  folder.write('other.key', other.key)
  folder.write('junk.pem', 'this is no certificate\n')
  folder.write('broken.pem', server.cert.replace(/\n(?=[A-Za-z0-9+/=]+\n-----END)/, '\nAAAA'))
  folder.write(
    'half_chain.pem',
    `${server.cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
  )
  folder.write('empty.pem', '')
})
afterAll(() => folder[Symbol.dispose]())

function load(yaml: string) {
  return loadWebFile(folder.write('web.yml', yaml))
}

function problemsOf(yaml: string): string[] {
  try {
    load(yaml)
  } catch (failure) {
    if (failure instanceof ConfigError) {
      return failure.problems.map(({ path, message }) => `${path}: ${message}`)
    }
    throw failure
  }
  return []
}

describe('a valid web configuration file', () => {
  test.each([
    ['nothing at all', ''],
    ['empty mappings', 'tls_server_config: {}\nhttp_server_config: {}\nbasic_auth_users: {}\nrate_limit: {}'],
    ['a certificate', `tls_server_config: {${TLS}}`],
    [
      'a certificate as OpenSSL trusts it',
      'tls_server_config: {cert_file: trusted.pem, key_file: server.key}',
    ],
    [
      'keys that are not set',
      `tls_server_config: {${TLS}, client_auth_type: "", client_ca_file: "", cert: }`,
    ],
    ['RequestClientCert', `tls_server_config: {${TLS}, client_auth_type: RequestClientCert}`],
    ['RequireAnyClientCert', `tls_server_config: {${TLS}, client_auth_type: RequireAnyClientCert}`],
    ['VerifyClientCertIfGiven', `tls_server_config: {${MUTUAL}, client_auth_type: VerifyClientCertIfGiven}`],
    [
      'allowed names',
      `tls_server_config: {${MUTUAL}, client_auth_type: RequireAndVerifyClientCert, client_allowed_sans: [prometheus, 10.0.0.1]}`,
    ],
    [
      'allowed names without verification',
      `tls_server_config: {${TLS}, client_auth_type: RequireAnyClientCert, client_allowed_sans: [a]}`,
    ],
    ['TLS 1.3 alone', `tls_server_config: {${TLS}, min_version: TLS13}`],
    ['old TLS', `tls_server_config: {${TLS}, min_version: TLS10}`],
    ['suites', `tls_server_config: {${TLS}, cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]}`],
    ['curves', `tls_server_config: {${TLS}, curve_preferences: [CurveP256, CurveP384, CurveP521, X25519]}`],
    ['HTTP/2 on', 'http_server_config: {http2: true}'],
    [
      'all headers',
      `http_server_config: {headers: {Content-Security-Policy: "default-src 'self'", X-Frame-Options: deny,
        X-Content-Type-Options: nosniff, X-XSS-Protection: "1", Strict-Transport-Security: max-age=60}}`,
    ],
    ['a blank header', 'http_server_config: {headers: {X-Frame-Options: "", Content-Security-Policy: ""}}'],
    ['users of all kinds of bcrypt', `basic_auth_users: {a: ${HASH}, b: "${HASH.replace('2y', '2a')}"}`],
    ['a user that looks like a number', `basic_auth_users: {123: ${HASH}}`],
    ['a rate limit', 'rate_limit: {interval: 1s, burst: 20}'],
    ['no rate limit', 'rate_limit: {interval: 0, burst: 0}'],
  ])('%s', (_what, yaml) => expect(problemsOf(yaml)).toEqual([]))

  test('with inline certificates', () => {
    const read = (path: string) => ({ text: files[path] ?? '' })
    const files: Record<string, string> = {}
    const inline = load(`tls_server_config: {${MUTUAL}, client_auth_type: RequireAndVerifyClientCert}`)
    const indent = (text: string) => text.trim().replaceAll('\n', '\n    ')
    files['/etc/web.yml'] = [
      'tls_server_config:',
      '  client_auth_type: RequireAndVerifyClientCert',
      `  cert: |\n    ${indent(inline.tls?.cert ?? '')}`,
      `  key: |\n    ${indent(inline.tls?.key.reveal() ?? '')}`,
      `  client_ca: |\n    ${indent(inline.tls?.clientCa ?? '')}`,
    ].join('\n')
    expect(loadWebFile('/etc/web.yml', read).tls?.cert.trim()).toBe(inline.tls?.cert.trim())
  })
})

describe('an invalid web configuration file', () => {
  test.each([
    ['no mapping', '[]', /^: expected a mapping/],
    ['a text', 'hello', /^: expected a mapping/],
    ['an unknown key', 'tls_config: {}', /^tls_config: unknown key$/],
    [
      'an unknown key in a section',
      `tls_server_config: {${TLS}, cert_files: a}`,
      /^tls_server_config.cert_files: unk/,
    ],
    ['a section that is text', 'tls_server_config: yes please', /^tls_server_config: expected a mapping/],
    [
      'a missing certificate file',
      'tls_server_config: {cert_file: no.pem, key_file: server.key}',
      /cert_file: no.pem cannot be read: no such file/,
    ],
    [
      'a folder as certificate',
      'tls_server_config: {cert_file: ., key_file: server.key}',
      /cert_file: . cannot be read: it is a directory/,
    ],
    [
      'no certificate in the file',
      'tls_server_config: {cert_file: junk.pem, key_file: server.key}',
      /cert_file: junk.pem contains no certificate/,
    ],
    [
      'a broken certificate',
      'tls_server_config: {cert_file: broken.pem, key_file: server.key}',
      /cert_file: broken.pem contains a certificate that cannot be read \(number 1 of 1\)/,
    ],
    [
      'a broken chain',
      'tls_server_config: {cert_file: half_chain.pem, key_file: server.key}',
      /cert_file: half_chain.pem contains a certificate that cannot be read \(number 2 of 2\)/,
    ],
    ['no certificate', 'tls_server_config: {key_file: server.key}', /cert_file: missing/],
    ['no key', 'tls_server_config: {cert_file: server.pem}', /key_file: missing/],
    [
      'a certificate for a key',
      'tls_server_config: {cert_file: server.pem, key_file: server.pem}',
      /key_file: server.pem contains no usable private key/,
    ],
    [
      'a key of another certificate',
      'tls_server_config: {cert_file: server.pem, key_file: other.key}',
      /key_file: the key does not belong/,
    ],
    [
      'a client CA without a policy',
      `tls_server_config: {${MUTUAL}}`,
      /client_auth_type: a client CA needs a client_auth_type/,
    ],
    [
      'a policy without a client CA',
      `tls_server_config: {${TLS}, client_auth_type: RequireAndVerifyClientCert}`,
      /client_ca_file: missing/,
    ],
    [
      'no certificate in the client CA',
      `tls_server_config: {${TLS}, client_ca_file: junk.pem, client_auth_type: RequireAndVerifyClientCert}`,
      /client_ca_file: junk.pem contains no certificate/,
    ],
    [
      'a client CA without its root',
      `tls_server_config: {${TLS}, client_ca_file: server.pem, client_auth_type: RequireAndVerifyClientCert}`,
      /client_ca_file: server.pem contains no root certificate/,
    ],
    [
      'an unknown policy',
      `tls_server_config: {${TLS}, client_auth_type: RequireCert}`,
      /client_auth_type: expected one of NoClientCert, /,
    ],
    [
      'names without a required certificate',
      `tls_server_config: {${MUTUAL}, client_auth_type: VerifyClientCertIfGiven, client_allowed_sans: [a]}`,
      /client_allowed_sans: needs/,
    ],
    [
      'no name at all',
      `tls_server_config: {${TLS}, client_auth_type: RequireAnyClientCert, client_allowed_sans: []}`,
      /client_allowed_sans: an empty list/,
    ],
    [
      'an unknown TLS version',
      `tls_server_config: {${TLS}, min_version: TLS14}`,
      /min_version: expected one of TLS10, /,
    ],
    [
      'a minimum above the maximum',
      `tls_server_config: {${TLS}, min_version: TLS13, max_version: TLS12}`,
      /min_version: TLS13 is above max_version TLS12/,
    ],
    [
      'a maximum below the default minimum',
      `tls_server_config: {${TLS}, max_version: TLS11}`,
      /min_version: TLS12 is above max_version TLS11/,
    ],
    [
      'an invented suite',
      `tls_server_config: {${TLS}, cipher_suites: [TLS_INVENTED]}`,
      /cipher_suites\[0\]: expected one of TLS_ECDHE/,
    ],
    [
      'an insecure suite',
      `tls_server_config: {${TLS}, cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]}`,
      /cipher_suites\[0\]: expected one of/,
    ],
    [
      'only suites that the version lacks',
      `tls_server_config: {${TLS}, max_version: TLS12, cipher_suites: [TLS_AES_128_GCM_SHA256]}`,
      /cipher_suites: none of these is supported by TLS12/,
    ],
    [
      'a text for a boolean',
      `tls_server_config: {${TLS}, prefer_server_cipher_suites: maybe}`,
      /prefer_server_cipher_suites: expected true or false/,
    ],
    [
      'an unknown header',
      'http_server_config: {headers: {X-Powered-By: me}}',
      /headers.X-Powered-By: unknown key/,
    ],
    [
      'a header with a line end',
      'http_server_config: {headers: {Content-Security-Policy: "a\\r\\nSet-Cookie: b"}}',
      /Content-Security-Policy: contains characters/,
    ],
    [
      'a plain password',
      'basic_auth_users: {alice: secret}',
      /basic_auth_users.alice: expected a bcrypt hash/,
    ],
    [
      'a hash of an unsupported kind',
      'basic_auth_users: {alice: "$apr1$x$y"}',
      /basic_auth_users.alice: expected a bcrypt hash/,
    ],
    [
      'a cost that bcrypt has not',
      `basic_auth_users: {alice: "${HASH.replace('$10$', '$03$')}"}`,
      /basic_auth_users.alice: expected a bcrypt hash/,
    ],
    [
      'a user with a colon',
      `basic_auth_users: {"a:b": ${HASH}}`,
      /basic_auth_users\.…: a user name must not contain a colon/,
    ],
    ['a rate limit without burst', 'rate_limit: {interval: 1s}', /rate_limit.burst: must be 1 or more/],
    [
      'a rate limit in nanoseconds',
      'rate_limit: {interval: 5, burst: 1}',
      /rate_limit.interval: expected a duration/,
    ],
    ['half a burst', 'rate_limit: {interval: 1s, burst: 1.5}', /rate_limit.burst: expected a whole number/],
  ])('%s', (_what, yaml, expected) => {
    expect(problemsOf(yaml)).toEqual([expect.stringMatching(expected)])
  })

  test('reports every problem at once', () => {
    const yaml = `
      tls_server_config: {cert_file: no.pem, key_file: junk.pem, min_version: TLS9, colour: red}
      http_server_config: {headers: {Server: x}}
      basic_auth_users: {alice: secret}
      rate_limit: {interval: 1s}`
    expect(problemsOf(yaml).map((problem) => problem.replace(/: .*/, ''))).toEqual(
      expect.arrayContaining([
        'tls_server_config.cert_file',
        'tls_server_config.key_file',
        'tls_server_config.min_version',
        'tls_server_config.colour',
        'http_server_config.headers.Server',
        'basic_auth_users.alice',
        'rate_limit.burst',
      ]),
    )
  })

  test('reports a missing file', () => {
    expect(() => loadWebFile(`${folder.path}/gone.yml`)).toThrow('cannot be read: no such file')
  })

  test('never quotes the file', () => {
    const secret = 'canary-4711'
    const files = [
      `basic_auth_users: {alice: ${secret}}`,
      `basic_auth_users: {alice: "${secret}`,
      `tls_server_config: {key: ${secret}, cert: ${secret}}`,
      `rate_limit: [${secret}`,
      `rate_limit: {interval: ${secret}}`,
    ]
    for (const yaml of files) {
      const problems = problemsOf(yaml)
      expect(problems).not.toEqual([])
      expect(problems.join('\n')).not.toContain(secret)
    }
  })
})

describe('the loaded web configuration', () => {
  test('an empty file is plain HTTP without authentication', () => {
    expect(load('')).toEqual({ tls: undefined, headers: {}, users: new Map(), rateLimit: undefined })
  })

  test('hashes and keys print as placeholders', () => {
    const file = load(`tls_server_config: {${TLS}}\nbasic_auth_users: {alice: ${HASH}}`)
    expect(inspect(file, { depth: 9 })).not.toContain(HASH)
    expect(inspect(file, { depth: 9 })).not.toContain('PRIVATE KEY')
    expect(file.users.get('alice')?.reveal()).toBe(HASH)
  })

  test.each([
    ['1s', 1000],
    ['500ms', 500],
    ['1m30s', 90_000],
    ['0.5s', 500],
    ['2h', 7_200_000],
  ])('an interval of %s is %d ms', (interval, intervalMs) => {
    expect(load(`rate_limit: {interval: ${interval}, burst: 3}`).rateLimit).toEqual({ intervalMs, burst: 3 })
  })

  test('empty headers are not set', () => {
    const yaml = 'http_server_config: {headers: {X-Frame-Options: deny, Content-Security-Policy: ""}}'
    expect(load(yaml).headers).toEqual({ 'X-Frame-Options': 'deny' })
  })

  test('the default is TLS 1.2 and later with forward secrecy', () => {
    const { tls } = load(`tls_server_config: {${TLS}}`)
    expect(tls).toMatchObject({ minVersion: 'TLS12', maxVersion: 'TLS13', clientAuth: 'NoClientCert' })
    const suites = tls?.ciphers.split(':') ?? []
    expect(suites.filter((suite) => !/^(TLS_|ECDHE-)/.test(suite))).toEqual([])
    expect(tls && secureContextOptions(tls)).toMatchObject({ minVersion: 'TLSv1.2', honorCipherOrder: true })
  })

  test('cipher_suites does not affect TLS 1.3', () => {
    const { tls } = load(
      `tls_server_config: {${TLS}, cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]}`,
    )
    expect(tls?.ciphers).toBe(
      'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-ECDSA-AES256-GCM-SHA384',
    )
  })
})
