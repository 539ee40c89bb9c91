import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/config/values/problems.ts'
import { loadWebFile, secureContextOptions } from '../../src/config/web_file.ts'
import { LOCAL_SANS, makeAuthority } from '../server/listener/certificates.ts'
import { temporaryFolder } from '../support/folders.ts'

const HASH = '$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG'
const TLS = 'cert_file: server.pem, key_file: server.key'
const MUTUAL = `${TLS}, client_ca_file: ca.pem`
const files = (cert: string, key: string) => `tls_server_config: {cert_file: ${cert}, key_file: ${key}}`
const tls = (more: string) => `tls_server_config: {${TLS}, ${more}}`
const verified = (ca: string) => tls(`client_ca_file: ${ca}, client_auth_type: RequireAndVerifyClientCert`)
const NO_HASH = /basic_auth_users.alice: expected a bcrypt hash/
const mutual = (more: string) => tls(`client_ca_file: ca.pem, ${more}`)
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
  const half = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  folder.write('half_chain.pem', `${server.cert}\n${half}`)
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
    if (!(failure instanceof ConfigError)) throw failure
    return failure.problems.map(({ path, message }) => `${path}: ${message}`)
  }
  return []
}

describe('a valid web configuration file', () => {
  test.each([
    '',
    'tls_server_config: {}\nhttp_server_config: {}\nbasic_auth_users: {}',
    `tls_server_config: {${TLS}}`,
    files('trusted.pem', 'server.key'),
    tls('client_auth_type: "", client_ca_file: "", cert: '),
    tls('client_auth_type: RequestClientCert'),
    tls('client_auth_type: RequireAnyClientCert'),
    mutual('client_auth_type: VerifyClientCertIfGiven'),
    mutual('client_auth_type: RequireAndVerifyClientCert, client_allowed_sans: [prometheus, 10.0.0.1]'),
    tls('client_auth_type: RequireAnyClientCert, client_allowed_sans: [a]'),
    tls('min_version: TLS13'),
    tls('min_version: TLS10'),
    tls('cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]'),
    tls('curve_preferences: [CurveP256, CurveP384, CurveP521, X25519]'),
    'http_server_config: {http2: true}',
    `http_server_config: {headers: {Content-Security-Policy: "default-src 'self'", X-Frame-Options: deny,
        X-Content-Type-Options: nosniff, X-XSS-Protection: "1", Strict-Transport-Security: max-age=60}}`,
    'http_server_config: {headers: {X-Frame-Options: "", Content-Security-Policy: ""}}',
    `basic_auth_users: {a: ${HASH}, b: "${HASH.replace('2y', '2a')}"}`,
    `basic_auth_users: {123: ${HASH}}`,
  ])('%s', (yaml) => expect(problemsOf(yaml)).toEqual([]))

  test('with inline certificates', () => {
    const read = (path: string) => ({ text: texts[path] ?? '' })
    const texts: Record<string, string> = {}
    const inline = load(mutual('client_auth_type: RequireAndVerifyClientCert'))
    const indent = (text: string) => text.trim().replaceAll('\n', '\n    ')
    texts['/etc/web.yml'] = [
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
    ['[]', /^: expected a mapping/],
    ['hello', /^: expected a mapping/],
    ['tls_config: {}', /^tls_config: unknown key$/],
    [tls('cert_files: a'), /^tls_server_config.cert_files: unk/],
    ['tls_server_config: yes please', /^tls_server_config: expected a mapping/],
    [files('no.pem', 'server.key'), /cert_file: no.pem cannot be read: no such file/],
    [files('.', 'server.key'), /cert_file: . cannot be read: it is a directory/],
    [files('junk.pem', 'server.key'), /cert_file: junk.pem contains no certificate/],
    [files('broken.pem', 'server.key'), /: broken.pem contains .* cannot be read \(number 1 of 1\)/],
    [files('half_chain.pem', 'server.key'), /: half_chain.pem contains .* cannot be read \(number 2 of 2\)/],
    ['tls_server_config: {key_file: server.key}', /cert_file: missing/],
    ['tls_server_config: {cert_file: server.pem}', /key_file: missing/],
    [files('server.pem', 'server.pem'), /key_file: server.pem contains no usable private key/],
    [files('server.pem', 'other.key'), /key_file: the key does not belong/],
    [`tls_server_config: {${MUTUAL}}`, /client_auth_type: a client CA needs a client_auth_type/],
    [tls('client_auth_type: RequireAndVerifyClientCert'), /client_ca_file: missing/],
    [verified('junk.pem'), /client_ca_file: junk.pem contains no certificate/],
    [verified('server.pem'), /client_ca_file: server.pem contains no root certificate/],
    [tls('client_auth_type: RequireCert'), /client_auth_type: expected one of NoClientCert, /],
    [mutual('client_auth_type: VerifyClientCertIfGiven, client_allowed_sans: [a]'), /sans: needs/],
    [tls('client_auth_type: RequireAnyClientCert, client_allowed_sans: []'), /sans: an empty list/],
    [tls('min_version: TLS14'), /min_version: expected one of TLS10, /],
    [tls('min_version: TLS13, max_version: TLS12'), /min_version: TLS13 is above max_version TLS12/],
    [tls('max_version: TLS11'), /min_version: TLS12 is above max_version TLS11/],
    [tls('cipher_suites: [TLS_INVENTED]'), /cipher_suites\[0\]: expected one of TLS_ECDHE/],
    [tls('cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]'), /cipher_suites\[0\]: expected one of/],
    [
      tls('max_version: TLS12, cipher_suites: [TLS_AES_128_GCM_SHA256]'),
      /cipher_suites: none of .* by TLS12/,
    ],
    [tls('prefer_server_cipher_suites: maybe'), /prefer_server_cipher_suites: expected true or false/],
    ['http_server_config: {headers: {X-Powered-By: me}}', /headers.X-Powered-By: unknown key/],
    [
      'http_server_config: {headers: {Content-Security-Policy: "a\\r\\nSet-Cookie: b"}}',
      /Content-Security-Policy: contains characters/,
    ],
    ['basic_auth_users: {alice: secret}', NO_HASH],
    ['basic_auth_users: {alice: "$apr1$x$y"}', NO_HASH],
    [`basic_auth_users: {alice: "${HASH.replace('$10$', '$03$')}"}`, NO_HASH],
    [`basic_auth_users: {"a:b": ${HASH}}`, /basic_auth_users\.…: a user name must not contain a colon/],
  ])('%s', (yaml, expected) => {
    expect(problemsOf(yaml)).toEqual([expect.stringMatching(expected)])
  })

  test('reports every problem at once', () => {
    const yaml = `
      tls_server_config: {cert_file: no.pem, key_file: junk.pem, min_version: TLS9, colour: red}
      http_server_config: {headers: {Server: x}}
      basic_auth_users: {alice: secret}`
    const paths = problemsOf(yaml).map((problem) => problem.replace(/: .*/, ''))
    const ofTls = ['cert_file', 'key_file', 'min_version', 'colour'].map((key) => `tls_server_config.${key}`)
    const expected = [...ofTls, 'http_server_config.headers.Server', 'basic_auth_users.alice']
    expect(paths).toEqual(expect.arrayContaining(expected))
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
      `basic_auth_users: [${secret}`,
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
    expect(load('')).toEqual({ tls: undefined, headers: {}, users: new Map() })
  })

  test('hashes and keys print as placeholders', () => {
    const file = load(`tls_server_config: {${TLS}}\nbasic_auth_users: {alice: ${HASH}}`)
    expect(inspect(file, { depth: 9 })).not.toContain(HASH)
    expect(inspect(file, { depth: 9 })).not.toContain('PRIVATE KEY')
    expect(file.users.get('alice')?.reveal()).toBe(HASH)
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
    const { tls: found } = load(tls('cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]'))
    expect(found?.ciphers).toBe(
      'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-ECDSA-AES256-GCM-SHA384',
    )
  })
})
