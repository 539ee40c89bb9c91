import { describe, expect, test } from 'vitest'
import { loadConfig, parseConfig } from '../../src/config/load.ts'
import { RESERVED_LABELS } from '../../src/config/values/labels_schema.ts'
import { ConfigError } from '../../src/config/values/problems.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { FAMILIES } from '../../src/metrics/families.ts'
import { temporaryFolder } from '../support/folders.ts'

const SYSTEM = 'systems:\n  - {name: a, base_url: "https://a:4443", auth: {token: abc}}\n'

const parse = (text: string, environment: Record<string, string> = {}) =>
  parseConfig(text, { file: 'x.yml', environment })

function problemsOf(text: string, file = '/nowhere/config.yml'): string[] {
  try {
    parseConfig(text, { file, environment: {} })
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    return failure.problems.map(({ path, message }) => `${path}: ${message}`)
  }
  return []
}

test('a minimal file gets the documented defaults', () => {
  const config = parse(SYSTEM)
  expect(config).toMatchObject({
    systems: [
      {
        ...{ name: 'a', baseUrls: ['https://a:4443'], pools: undefined, tls: { insecureSkipVerify: false } },
        poll: { schedule: '0 * * * * *', maxRandomDelayMs: 5000, timeoutMs: 30_000, staleAfterMs: 300_000 },
        forecast: { schedule: '0 0 * * * *', timeFrames: ['7d', '4w'], targets: [80, 90], braces: true },
        resources: { providers: { schedule: '0 */15 * * * *' } },
        limits: { concurrency: 4, requestsPerSecond: 10, maxResponseBytes: 16 * 1024 * 1024 },
        performance: { source: 'auto', schedule: '30 */5 * * * *', feedBandwidthUnit: 'MB/s' },
      },
    ],
    history: { enabled: false, windowMs: 3_600_000, intervalMs: 300_000 },
  })
})

test('a complete file is loaded', async () => {
  using folder = temporaryFolder()
  const { cert, key } = await selfSigned({ names: ['ecs.example.net'] })
  folder.write('token', 'a-token\n')
  for (const [name, text] of Object.entries({ 'ca.pem': cert, 'cert.pem': cert, 'key.pem': key }))
    folder.write(name, text)
  const file = folder.write(
    'config.yml',
    `
systems:
  - name: frankfurt
    base_url: [https://ecs1.example.net:4443/, https://ecs2.example.net:4443/prefix/]
    auth: {token_file: token}
    tls_config: {ca_file: ca.pem, cert_file: cert.pem, key_file: key.pem, server_name: ecs, insecure_skip_verify: true}
    pools:
      - {id: "urn:storageos:VirtualArray:b17d28fa-7fc3-465e-9f43-281e72a349eb"}
  - name: paris
    base_url: https://p:4443
    auth: {username: monitor, password: "\${PASSWORD}"}
    tls_config: {ca_file: "", cert_file: "", key_file: "", server_name: "", insecure_skip_verify: false}
poll: {schedule: "*/30 * * * * *", max_random_delay: 500ms, timeout: 10s, stale_after: 1h}
forecast: {schedule: "", time_frames: [1d, 2w], targets: [50, 100], braces: false}
providers: {schedule: ""}
limits: {concurrency: 2, requests_per_second: "\${RATE}", max_response_bytes: 1MB}
history: {enabled: true, window: 2h, interval: 1m}
`,
  )
  const config = loadConfig(file, { PASSWORD: 'geheim', RATE: '7' })
  const [frankfurt, paris] = config.systems
  expect(frankfurt).toMatchObject({
    baseUrls: ['https://ecs1.example.net:4443', 'https://ecs2.example.net:4443/prefix'],
    auth: { kind: 'token_file', file: `${folder.path}/token` },
    tls: { caFile: `${folder.path}/ca.pem`, serverName: 'ecs', insecureSkipVerify: true },
    pools: ['urn:storageos:VirtualArray:b17d28fa-7fc3-465e-9f43-281e72a349eb'],
  })
  const auth = paris?.auth
  expect(auth?.kind === 'login' && auth.password.reveal()).toBe('geheim')
  const noFiles = { caFile: undefined, certFile: undefined, keyFile: undefined }
  expect(paris?.tls).toEqual({ ...noFiles, serverName: undefined, insecureSkipVerify: false })
  const forecast = { schedule: '', timeFrames: ['1d', '2w'], targets: [50, 100], braces: false }
  expect(frankfurt?.forecast).toEqual(forecast)
  expect(frankfurt?.limits).toEqual({ concurrency: 2, requestsPerSecond: 7, maxResponseBytes: 1_000_000 })
})

test('all problems are reported at once, line by line, each with its path', () => {
  const text = `
systems:
  - name: "bad name"
    base_url: ftp://x
    auth: {token: "", tokenfile: x}
    tls: {}
  - name: a
    base_url: [https://a:4443/, "https://user:word@x"]
    auth: {username: monitor, password_file: nope}
  - name: a
    base_url: []
    auth: {token_file: ""}
    pools: []
poll: {schedule: "* * * * *", timeout: 5, max_random_delay: 3x}
limits: {concurrency: 0, max_response_bytes: 64}
wrong: 1
`
  expect(problemsOf(text)).toEqual([
    'systems[0].name: may contain letters, digits, underscore, dot and hyphen only',
    'systems[0].base_url[0]: must begin with https:// or http://',
    'systems[0].auth.token: is empty',
    'systems[0].auth.…: unknown key at line 5, column 23, which is not shown here because it may hold a secret; did you mean token_file?',
    'systems[0].tls: unknown key; did you mean tls_config?',
    'systems[1].base_url[1]: must not contain a user or password: set them under auth',
    'systems[1].auth.password_file: nope cannot be read: no such file',
    'systems[2].name: systems[1] has the same name',
    'systems[2].base_url: needs at least one URL',
    'systems[2].auth.token_file: must not be empty',
    'systems[2].pools: must not be empty; omit it to discover the pools',
    'poll.schedule: not a cron expression of six fields (second minute hour day month weekday): it has 5; write 0 before them for second 0',
    'poll.max_random_delay: expected a duration like 30s, 5m, 7d or 4w',
    'poll.timeout: expected a duration like 30s, 5m, 7d or 4w',
    'limits.concurrency: expected a whole number from 1 to 64',
    'limits.max_response_bytes: expected a size like 64MiB',
    'wrong: unknown key',
  ])
})

test('every problem has its line, and they are in this order', () => {
  const text = `systems:
  - name: a
    base_url:
      - https://a:4443
      - ftp://b
    auth: {token: "\${NO}"}
    tls_config:
      ca_file: nope.pem
  - name: a
    auth: {token: x}
poll:
  schedule: "0 0 0 99 * *"
  timout: 5s
forecast: {targets: [80,
    101]}
`
  try {
    parse(text)
    expect.unreachable()
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    expect(failure.message.split('\n').slice(1)).toEqual([
      '  line 5: systems[0].base_url[1]: must begin with https:// or http://',
      '  line 6: systems[0].auth.token: the environment variable NO is not set',
      '  line 8: systems[0].tls_config.ca_file: nope.pem cannot be read: no such file',
      '  line 9: systems[1].base_url: missing: expected a URL or a list of URLs',
      '  line 9: systems[1].name: systems[0] has the same name',
      expect.stringMatching(/^ {2}line 12: poll\.schedule: .*: the field dayOfMonth is not valid$/),
      '  line 13: poll.timout: unknown key; did you mean timeout?',
      '  line 15: forecast.targets[1]: expected a whole percentage from 1 to 100',
    ])
  }
})

test.each([
  ['timout', 'timeout'],
  ['staleAfter', 'stale_after'],
  ['sched', 'schedule'],
  ['Stale-After', 'stale_after'],
  ['stale', 'stale_after'],
  ['random_delay', 'max_random_delay'],
  ['x', undefined],
  ['t'.repeat(64), undefined],
])('the unknown key %s suggests %s', (key, meant) => {
  const expected = `poll.${key}: unknown key${meant === undefined ? '' : `; did you mean ${meant}?`}`
  expect(problemsOf(`${SYSTEM}poll: {${key}: 5s}`)).toEqual([expected])
})

test('every problem is named, although one value of the section has another type', () => {
  const text = `
systems:
  - name: a
    base_url: [5, ftp://x]
    auth: {username: 5, password: 12345, password_file: nope}
    tls_config: {insecure_skip_verify: 1, ca_file: nope.pem, cert_file: nope.pem}
    labels: {a: 5, "0b": x}
    pools: [{id: 5}, {id: a}, {id: a}, null]
history: {enabled: 1, window: 1m, interval: 5m}
`
  const notAName = 'not a label name: use letters, digits and underscores, and no digit at the start'
  expect(problemsOf(text)).toEqual([
    'systems[0].base_url[0]: expected text',
    'systems[0].base_url[1]: must begin with https:// or http://',
    'systems[0].auth.username: expected text',
    'systems[0].auth.password: write it in quotes: expected text',
    'systems[0].auth.password_file: nope cannot be read: no such file',
    'systems[0].auth: needs exactly one of token, token_file, or username with password or password_file',
    'systems[0].tls_config.ca_file: nope.pem cannot be read: no such file',
    'systems[0].tls_config.cert_file: nope.pem cannot be read: no such file',
    'systems[0].tls_config.insecure_skip_verify: expected true or false',
    'systems[0].tls_config: cert_file and key_file must be set together',
    'systems[0].labels.a: expected text; put numbers and true or false in quotes',
    `systems[0].labels.0b: ${notAName}`,
    'systems[0].pools[0].id: expected text',
    'systems[0].pools[3]: expected a mapping of keys to values',
    'systems[0].pools[2].id: listed twice',
    'history.enabled: expected true or false',
    'history.window: must be at least twice history.interval',
  ])
})

test.each([
  [
    `${SYSTEM}schedule: 30s`,
    'schedule',
    'it belongs under poll or under forecast or under discovery or under providers or under performance',
  ],
  [`${SYSTEM}concurrency: 2`, 'concurrency', 'it belongs under limits'],
  [`${SYSTEM}poll: {forecast: {}}`, 'poll.forecast', 'it belongs at the top of the file'],
  [
    SYSTEM.replace('auth: {token: abc}', 'auth: {token: abc}, username: u'),
    'systems[0].username',
    'it belongs under systems[].auth',
  ],
])('the key at a wrong level in %j is one problem, which names the right place', (text, path, hint) => {
  expect(problemsOf(text)).toEqual([`${path}: unknown key; ${hint}`])
})

test('a value of another type is described without the words of a library', () => {
  const text = `systems: [text, {name: 1, base_url: 2, auth: text, tls_config: [], pools: {a: 1}}]
poll: text
forecast: {time_frames: 7d, targets: 80, braces: 2}
limits: []
performance: 5
providers: {schedule: 5}
history: {enabled: [], window: 1}
`
  const problems = problemsOf(text)
  expect(problems.length).toBeGreaterThan(12)
  for (const problem of problems) {
    expect(problem).toMatch(/: expected /)
    expect(problem).not.toMatch(/invalid input|received|object|array|string/i)
  }
})

test.each([
  ['ecs1.example.net:4443', ': write https://ecs1.example.net:4443'],
  ['ecs1.example.net', ': write https://ecs1.example.net:4443'],
  ['192.0.2.1:9021/', ': write https://192.0.2.1:9021'],
  ['[2001:db8::1]:4443', ': write https://[2001:db8::1]:4443'],
  ['user:canary@ecs1', ''],
  ['https://', ''],
  ['ftp://a', ''],
])('the base_url %s is an error that says what to write', (url, words) => {
  const [problem = ''] = problemsOf(`systems:\n  - {name: a, base_url: "${url}", auth: {token: a}}\n`)
  expect(problem).toMatch(/^systems\[0\]\.base_url\[0\]: (not a URL|must begin with https:\/\/ or http:\/\/)/)
  expect(problem.replace(/^.*?(not a URL|http:\/\/)/, '')).toBe(words)
})

test.each([
  ['https://a', 'https://a'],
  ['https://a:443/', 'https://a:443'],
  ['http://a:080/b/', 'http://a:80/b'],
  ['https://a:4443//', 'https://a:4443'],
])('the base_url %s is %s: a port that is written stays', (url, expected) => {
  const text = `systems: [{name: a, base_url: "${url}", auth: {token: a}}]`
  expect(parse(text).systems[0]?.baseUrls).toEqual([expected])
})

test.each([
  ['{window: 25h}', 'history.window: must be at most 24h: backfill reads longer periods'],
  ['{window: 9m}', 'history.window: must be at least twice history.interval'],
  ['{interval: 31m}', 'history.window: must be at least twice history.interval'],
  ['{interval: 1500ms}', 'history.interval: must be whole seconds'],
])('the history %s is an error', (history, problem) => {
  expect(problemsOf(`${SYSTEM}history: ${history}`)).toEqual([problem])
})

describe('with the name of a system', () => {
  const text = (second: string) => `systems:
  - {name: a, base_url: "https://a", auth: {token: x}}
  - {name: b, ${second}}
`
  const load = (second: string, system: string, rest = '') =>
    parseConfig(`${text(second)}${rest}`, { file: 'x.yml', environment: {}, system })
  const broken = 'base_url: "https://b", auth: {token: "${' + 'NO}"}, tls: {}'

  test('problems of other systems are ignored', () => {
    expect(load(broken, 'a').systems.map(({ name }) => name)).toEqual(['a'])
    expect(load('base_url: "https://b", auth: {token: y}', 'a').systems).toHaveLength(2)
  })

  test.each([
    ['the system', 'b', '', ['auth.token', 'tls']],
    ['the file', 'a', 'pol: {}', ['pol']],
    ['all systems, if none has the name,', 'c', '', ['auth.token', 'tls']],
  ])('problems of %s are reported', (_, system, rest, paths) => {
    const problems = (() => {
      try {
        return load(broken, system, rest)
      } catch (failure) {
        return failure instanceof ConfigError ? failure.problems : []
      }
    })() as ConfigError['problems']
    expect(problems.map(({ path }) => path.replace('systems[1].', ''))).toEqual(paths)
  })
})

test.each([
  ['$${' + 'A}', '${' + 'A}'],
  ['a$${', 'a${'],
  ['$${' + 'A}${' + 'A}$$', '${' + 'A}x$$'],
])('%s is written for %s', (written, expected) => {
  const text = `systems: [{name: a, base_url: "https://a:4443", auth: {token: "${written}"}}]`
  const auth = parse(text, { A: 'x' }).systems[0]?.auth
  expect(auth?.kind === 'token' && auth.token.reveal()).toBe(expected)
})

test.each([
  ['${' + 'RATE:-7}', {}, 7],
  ['${' + 'RATE:-7}', { RATE: '' }, 7],
  ['${' + 'RATE:-7}', { RATE: '9' }, 9],
  ['1${' + 'RATE:-}', {}, 1],
])('%s with %o is %d', (reference, environment, expected) => {
  const text = `${SYSTEM}limits: {requests_per_second: "${reference}"}`
  const config = parse(text, environment)
  expect(config.systems[0]?.limits.requestsPerSecond).toBe(expected)
})

describe('labels of a system', () => {
  const withLabels = (labels: string) => SYSTEM.replace('}}', `}, labels: ${labels}}`)

  test('are text by name', () => {
    const { systems } = parse(withLabels('{site: fra, tier: "1"}'))
    expect(systems[0]?.labels).toEqual({ site: 'fra', tier: '1' })
  })

  test.each([
    ['{"site-name": a}', 'site-name: not a label name'],
    ['{"1st": a}', '1st: not a label name'],
    ['{__address__: "evil:80"}', '__address__: label names that begin with two underscores are reserved'],
    ['{system: a}', 'system: the metrics have this label already'],
    ['{instance: a}', 'instance: the metrics have this label already'],
    ['{tier: 1}', 'tier: expected text; put numbers and true or false in quotes'],
    ['{site: ""}', 'site: must not be empty'],
    [`{site: ${'x'.repeat(201)}}`, 'site: must have at most 200 characters'],
  ])('%s are refused', (labels, problem) => {
    const problems = problemsOf(withLabels(labels))
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`systems[0].labels.${problem}`)
  })

  test('are at most twenty', () => {
    const labels = Array.from({ length: 21 }, (_, index) => `l${index}: a`).join(', ')
    expect(problemsOf(withLabels(`{${labels}}`))).toEqual(['systems[0].labels: must have at most 20 labels'])
  })

  test('have no name of a label that metrics have', () => {
    const used = new Set(FAMILIES.flatMap(({ labels }) => labels))
    expect([...used].filter((label) => !RESERVED_LABELS.includes(label))).toEqual([])
  })
})

describe('without poll.schedule', () => {
  const ofSystem = (text: string) => parse(text).systems[0]?.performance.schedule

  test('systems are queried with every poll, unless performance.schedule is set', () => {
    expect(ofSystem(SYSTEM)).toBe('30 */5 * * * *')
    expect(ofSystem(`${SYSTEM}poll: {schedule: ""}`)).toBe('')
    const set = 'performance: {schedule: "0 */2 * * * *"}'
    expect(ofSystem(`${SYSTEM}poll: {schedule: ""}\n${set}`)).toBe('0 */2 * * * *')
    expect(ofSystem(`${SYSTEM}performance: {schedule: ""}`)).toBe('')
  })
})

test('TLS files are checked, and all their problems are reported', async () => {
  using folder = temporaryFolder()
  const [one, other] = [
    await selfSigned({ names: ['ecs.example.net'] }),
    await selfSigned({ names: ['ecs.example.net'] }),
  ]
  const files = { 'cert.pem': one.cert, 'key.pem': one.key, 'other.pem': other.key, 'text.pem': 'no PEM' }
  for (const [name, text] of Object.entries(files)) folder.write(name, text)
  const problems = (tls: string) =>
    problemsOf(
      `systems:\n  - {name: a, base_url: "https://a", auth: {token: a}, tls_config: ${tls}}\n`,
      `${folder.path}/config.yml`,
    ).map((problem) => problem.replace('systems[0].tls_config', ''))
  expect(problems('{ca_file: cert.pem, cert_file: cert.pem, key_file: key.pem}')).toEqual([])
  expect(problems('{ca_file: text.pem, cert_file: key.pem, key_file: text.pem}')).toEqual([
    '.ca_file: text.pem contains no certificate (PEM expected)',
    '.cert_file: key.pem contains no certificate (PEM expected)',
    '.key_file: text.pem contains no usable private key (PEM without a passphrase expected)',
  ])
  expect(problems('{cert_file: nope.pem}')).toEqual([
    '.cert_file: nope.pem cannot be read: no such file',
    ': cert_file and key_file must be set together',
  ])
  expect(problems('{cert_file: cert.pem, key_file: other.pem}')).toEqual([
    ': the key in key_file does not match the certificate in cert_file',
  ])
})

test('an unset variable is reported once', () => {
  const reference = '$' + '{NO}'
  const text = `systems:\n  - {name: a, base_url: "https://a", auth: {token_file: "${reference}/token"}}\n`
  expect(problemsOf(text)).toEqual(['systems[0].auth.token_file: the environment variable NO is not set'])
})

test('700 systems are accepted', () => {
  const system = (index: number) =>
    `- name: system${index}\n  base_url: ["https://a${index}:4443", "https://b${index}:4443"]\n` +
    '  auth:\n    username: monitor\n    password: secret\n  labels: {site: a, room: b}\n'
  const text = `systems:\n${Array.from({ length: 700 }, (_, index) => system(index)).join('')}`
  expect(parseConfig(text, { file: 'a.yml', environment: {} }).systems).toHaveLength(700)
})

test('the failure of a configuration has a name, and a summary of the first ten problems', () => {
  const problems = Array.from({ length: 12 }, (_, index) => ({ path: `key${index}`, message: 'is unknown' }))
  const failure = new ConfigError('sds.yml', problems)
  expect(failure.name).toBe('ConfigError')
  expect(failure.summary()).toContain('key9')
  expect(failure.summary()).not.toContain('key10')
  expect(failure.message).toContain('key11')
})

describe('an invalid file', () => {
  const auth = (text: string) => `systems:\n  - {name: a, base_url: "https://a", auth: ${text}}\n`
  test.each([
    [
      `systems:\n  - {name: a, base_url: "https://a", auth: {token: a}, pools: [{id: "a/b"}]}`,
      'systems[0].pools[0].id: cannot be part of a path',
    ],
    ['', 'systems: missing: expected a list of systems'],
    ['systems: [{base_url: "https://a", auth: {token: a}}]', 'systems[0].name: missing'],
    ['- a', ': expected a mapping with the key systems'],
    [auth('{token: a, username: b, password: c}'), 'systems[0].auth: needs exactly one of'],
    [auth('{token: "a\\nb"}'), 'systems[0].auth.token: contains spaces, line breaks'],
    [
      `${SYSTEM}poll: {schedule: "0 0 0 31 4,6 *"}`,
      'poll.schedule: not a cron expression of six fields (second minute hour day month weekday): the field dayOfMonth is not valid',
    ],
    [
      `${SYSTEM}poll: {schedule: "0 0/5 * * * *"}`,
      'poll.schedule: not a cron expression of six fields (second minute hour day month weekday): the field minute is not valid; a step is written */5 or 0-30/5',
    ],
    [`${SYSTEM}forecast: {time_frames: [12h]}`, 'forecast.time_frames[0]: expected a time frame'],
    [`${SYSTEM}forecast: {time_frames: [7d, 1w]}`, 'forecast.time_frames: has a time frame twice (1w is 7d)'],
    [`${SYSTEM}forecast: {targets: [80, 90, 80]}`, 'forecast.targets: has a target twice'],
    [`${SYSTEM}poll: {stale_after: 0s}`, 'poll.stale_after: must be more than zero'],
    [
      'a:\n  - b: 1\n    c: 1\n  - b: 1\n   c: 1\n',
      ': not valid YAML at line 5, column 1 (MISSING_CHAR): the indentation does not match the surrounding lines',
    ],
    ['a: [', ': not valid YAML at line 1, column'],
  ])('%j is rejected', (text, expected) => {
    const problems = problemsOf(text)
    expect(problems.length).toBeGreaterThan(0)
    expect(problems.some((problem) => problem.startsWith(expected))).toBe(true)
  })

  test('that does not exist is reported', () => {
    expect(() => loadConfig('/no/such/file.yml', {})).toThrow(
      '/no/such/file.yml: 1 problem\n  cannot be read',
    )
  })

  test('never shows a secret', () => {
    const text = `systems:\n  - {name: a, base_url: [], auth: {token: "canary 4711", password: "canary 4711"}}\n x: *canary4711\n`
    expect(() => parseConfig(text, { file: 'x', environment: {} })).toThrow(ConfigError)
    for (const problem of [...problemsOf(text), ...problemsOf(text.split('\n').slice(0, 2).join('\n'))]) {
      expect(problem).not.toContain('4711')
    }
  })

  test.each([
    [
      '{username: u, password: !canary4711}',
      /^: not valid YAML at line 1, column \d+ .*quote text that begins with !/,
    ],
    ['{username: u, password: *canary4711}', /at line 1, column \d+ .*quote text that begins with \*/],
    ['{username: u, password: {{canary4711}}}', /at line 1, column \d+ .*quote text that/],
    ['{username: u, password: @canary4711}', /quote text that/],
    ['{username: u, password: "canary4711}', /a quote, bracket or comma is missing/],
    ['{username: u, password: "canary\\4711"}', /a backslash/],
    ['\n    username: u\n    password: |canary4711', /not valid YAML at line 6/],
    ['\n    username: u\n    password: ]canary4711', /not valid YAML at line 6/],
    ['\n    username: u\n    password: !canary4711', /not valid YAML at line 6/],
    ['{token:"canary4711"}', /^systems\[0\]\.auth\.…: unknown key at line 1, column 50, which is not/],
    ['{username: u, password: ab,canary4711}', /^systems\[0\]\.auth\.…: unknown key at line 1, column/],
    [`{username: u, password: ab,canary4711: "\${NOBODY}"}`, /auth\.…: the environment variable NOBODY/],
  ])('never quotes a secret in a syntax error: auth: %s', (auth, expected) => {
    const problems = problemsOf(`systems: [{name: a, base_url: "http://a", auth: ${auth}}]`)
    const asBlock = problemsOf(`systems:\n- name: a\n  base_url: http://a\n  auth: ${auth}`)
    const shown = auth.startsWith('{') ? problems : asBlock
    expect(shown.join('\n')).toMatch(expected)
    expect([...problems, ...asBlock].join('\n')).not.toContain('4711')
  })
})

test.each([
  ['source: flux', 'performance.source: expected one of auto, feed, query'],
  ['feed_bandwidth_unit: MiB/s', 'performance.feed_bandwidth_unit: expected one of MB/s, kB/s, B/s'],
  ['interfaces: {include: "("}', 'performance.interfaces.include: not a regular expression'],
  ['interfaces: {only: x}', 'performance.interfaces.only: unknown key'],
])('performance: {%s} is an error', (section, problem) => {
  expect(problemsOf(`${SYSTEM}performance: {${section}}`)).toEqual([expect.stringContaining(problem)])
})
