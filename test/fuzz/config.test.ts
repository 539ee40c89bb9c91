import { readFileSync } from 'node:fs'
import { validateHeaderValue } from 'node:http'
import { createSecureContext } from 'node:tls'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/load.ts'
import { ConfigError } from '../../src/config/values/problems.ts'
import { loadWebFile } from '../../src/config/web/file.ts'
import { secureContextOptions } from '../../src/config/web/tls.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import type { ReadText } from '../../src/values/files.ts'
import { mutatedJson, mutatedText, textOfPieces } from './support/arbitraries.ts'
import { fuzz, readCorpus, resultOrError } from './support/fuzz.ts'

const EXAMPLE = /```yaml\n(.*?)```/s.exec(readFileSync('docs/configuration.md', 'utf8'))?.[1] ?? ''
const COMPLETE = JSON.stringify({
  systems: [
    {
      name: 'a',
      base_url: ['https://a:4443/', 'https://b/x'],
      auth: { token: '$' + '{TOKEN}' },
      pools: [{ id: 'p' }],
    },
    {
      name: 'b',
      base_url: 'http://b',
      auth: { username: 'u', password: 'x' },
      tls_config: { server_name: 'b' },
    },
  ],
  poll: { schedule: '0 * * * * *', max_random_delay: '5s', timeout: '30s', stale_after: '5m' },
  forecast: { schedule: '', time_frames: ['7d'], targets: [80], braces: false },
  limits: { concurrency: '4', requests_per_second: 10, max_response_bytes: '64MiB' },
  history: { enabled: 'true', window: '1h', interval: '5m' },
})
const PIECES = [
  ...'{ } [ ] , " *a !x | >- # --- ... 0x1F .nan .inf 1e999 2026-01-01 null ~ 99999999999999999999w'.split(
    ' ',
  ),
  ...['\n', '\n  ', '\t', ': ', '- ', '? ', "'", '&a ', '!!str ', '%YAML 1.1', '<<: *a', '__proto__: '],
  ...['constructor: ', '"$' + '{toString}"', '"$' + '{HOME}"'],
]

fuzz('the configuration file', {
  corpus: 'config',
  input: fc.oneof(
    mutatedText([EXAMPLE, ...readCorpus('config')], PIECES),
    mutatedJson([COMPLETE]),
    textOfPieces(PIECES),
  ),
  runs: 50,
  check: (text) => {
    const config = resultOrError(() => parseConfig(text, { file: 'test.yml', environment: {} }), ConfigError)
    if (!(config instanceof ConfigError)) checkConfig(config)
    else expect(config.problems.length).toBeGreaterThan(0)
  },
})

const MAX_TIMER_MS = 2 ** 31 - 1

function checkConfig({ systems, history }: Config): void {
  const { poll, limits } = systems[0] ?? expect.fail('a system is required')
  expect(new Set(systems.map(({ name }) => name)).size).toBe(systems.length)
  for (const { baseUrls } of systems) for (const url of baseUrls) expect(URL.canParse(url)).toBe(true)
  const durations = [
    poll.maxRandomDelayMs,
    poll.timeoutMs,
    poll.staleAfterMs,
    history.windowMs,
    history.intervalMs,
  ]
  for (const ms of durations) expect(Number.isSafeInteger(ms) && ms >= 0).toBe(true)
  expect(Math.max(poll.maxRandomDelayMs, poll.timeoutMs)).toBeLessThanOrEqual(MAX_TIMER_MS)
  for (const count of Object.values(limits)) expect(Number.isSafeInteger(count) && count > 0).toBe(true)
  for (const { auth } of systems) {
    const secret = auth.kind === 'token' ? auth.token : auth.kind === 'login' ? auth.password : undefined
    expect(secret?.reveal() ?? 'a').not.toMatch(/\$\{|\[(native|object) /)
  }
}

const HASH = '$2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG'
const FILES: ReadonlyMap<string, string> = new Map(
  Object.entries(await selfSigned({ names: ['localhost'] })).map(([name, text]) => [name, String(text)]),
)
const WEB = `tls_server_config:
  cert_file: cert
  key_file: key
  client_ca_file: cert
  client_auth_type: RequireAndVerifyClientCert
  client_allowed_sans: [localhost]
  min_version: TLS12
  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]
  curve_preferences: [X25519]
http_server_config:
  http2: false
  headers: {X-Frame-Options: deny, Content-Security-Policy: "default-src 'none'"}
basic_auth_users: {alice: ${HASH}}
rate_limit: {interval: 1m30s, burst: 20}
`
const WEB_PIECES = [
  ...PIECES,
  HASH,
  ...'TLS10 TLS13 toString cert: key: client_ca: NoClientCert 1ns 0 -1'.split(' '),
]

fuzz('the web configuration file', {
  corpus: 'web_config',
  input: fc.oneof(mutatedText([WEB, ...readCorpus('web_config')], WEB_PIECES), textOfPieces(WEB_PIECES)),
  runs: 50,
  check: (text) => {
    const web = resultOrError(() => loadWebFile('web.yml', readerOf(text)), ConfigError)
    if (web instanceof ConfigError) return
    for (const [name, value] of Object.entries(web.headers)) validateHeaderValue(name, value)
    for (const hash of web.users.values()) expect(hash.reveal()).toMatch(/^\$2[aby]\$\d\d\$.{53}$/)
    if (web.tls !== undefined) createSecureContext(secureContextOptions(web.tls))
    const { intervalMs, burst } = web.rateLimit ?? { intervalMs: 1, burst: 1 }
    expect(intervalMs > 0 && Number.isFinite(intervalMs) && Number.isSafeInteger(burst) && burst > 0).toBe(
      true,
    )
  },
})

/** Reads `text` as the file itself, and a certificate or its key by the last part of the path. */
function readerOf(text: string): ReadText {
  return (path) => {
    const found = path === 'web.yml' ? text : FILES.get(path.split(/[/\\]/).at(-1) ?? '')
    return found === undefined ? { problem: 'cannot be read: no such file' } : { text: found }
  }
}
