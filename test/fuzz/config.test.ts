import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/load.ts'
import { ConfigError } from '../../src/config/values/problems.ts'
import { loadWebFile } from '../../src/config/web_file.ts'
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

const WEB = `tls_server_config: {cert_file: a.pem, key_file: a.key, client_auth_type: NoClientCert, min_version: TLS12}
http_server_config: {http2: true, headers: {X-Frame-Options: deny}}
basic_auth_users: {alice: $2y$10$X0h1gDsPszWURQaxFh.zoubFi6DXncSjhoQNJgRrnGs7EsimhC7zG}
`

fuzz('the web configuration file', {
  corpus: 'web_config',
  input: fc.oneof(mutatedText([WEB, WEB.replace(/.*\n/, '')], PIECES), textOfPieces(PIECES)),
  runs: 50,
  check: (text) => {
    const read = (path: string) => (path === 'web.yml' ? { text } : { problem: 'cannot be read' })
    const file = resultOrError(() => loadWebFile('web.yml', read), ConfigError)
    if (file instanceof ConfigError) return expect(file.problems.length).toBeGreaterThan(0)
    for (const [name, hash] of file.users)
      expect(`${name}:${hash.reveal()}`).toMatch(/^[^:]*:\$2[aby]?\$\d\d\$/)
    for (const value of Object.values(file.headers)) expect(() => new Headers({ a: value })).not.toThrow()
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
