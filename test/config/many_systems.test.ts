import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load.ts'
import { ConfigError } from '../../src/config/values/problems.ts'
import { temporaryFolder } from '../support/folders.ts'

const parse = (text: string, file = 'test.yml', system?: string) =>
  parseConfig(text, { file, environment: {}, system }).systems

function problemsOf(text: string, environment: Record<string, string> = {}): string[] {
  try {
    parseConfig(text, { file: '/nowhere/config.yml', environment })
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    return failure.problems.map(({ path, line, message }) => `${line}: ${path}: ${message}`)
  }
  return []
}

describe('a system inherits, key by key,', () => {
  test('the sections of the file', () => {
    const [slow, other] = parse(`
systems:
  - name: slow
    base_url: https://a:4443
    auth: {token: t}
    poll: {schedule: "0 */15 * * * *", stale_after: 50m}
    forecast: {targets: [90]}
    providers: {schedule: ""}
    discovery: {schedule: "0 0 * * * *"}
    limits: {concurrency: 1}
    performance: {interfaces: {include: eth0}}
  - {name: other, base_url: "https://b:4443", auth: {token: t}}
poll: {timeout: 20s, stale_after: 10m}
forecast: {schedule: "", targets: [70]}
limits: {requests_per_second: 2}
performance: {source: query, interfaces: {exclude: lo}}
`)
    expect(slow).toMatchObject({
      poll: {
        schedule: '0 */15 * * * *',
        timeoutMs: 20_000,
        staleAfterMs: 3_000_000,
        maxRandomDelayMs: 5000,
      },
      forecast: { schedule: '', targets: [90], timeFrames: ['7d', '4w'] },
      limits: { concurrency: 1, requestsPerSecond: 2 },
      performance: { source: 'query', interfaces: { include: 'eth0', exclude: 'lo' } },
      resources: { pools: { schedule: '0 0 * * * *' }, providers: { schedule: '' } },
    })
    expect(other).toMatchObject({
      poll: { schedule: '0 * * * * *', timeoutMs: 20_000, staleAfterMs: 600_000 },
      forecast: { schedule: '', targets: [70] },
      resources: { providers: { schedule: '0 */15 * * * *' } },
      limits: { concurrency: 4, requestsPerSecond: 2 },
      performance: { source: 'query', interfaces: { include: '', exclude: 'lo' } },
    })
  })

  test('members of defaults', () => {
    using folder = temporaryFolder()
    for (const name of ['a', 'b', 'token']) folder.write(name, `secret-of-${name}`)
    const systems = parse(
      `
defaults:
  auth: {username: monitor, password_file: a}
  tls_config: {insecure_skip_verify: true, server_name: ecs}
  labels: {tier: gold, team: storage}
systems:
  - {name: a, base_url: "https://a:4443"}
  - {name: b, base_url: "https://b:4443", auth: {password_file: b}, labels: {tier: silver}}
  - {name: c, base_url: "https://c:4443", auth: {username: admin, password: p}, tls_config: {server_name: ""}}
  - {name: d, base_url: "https://d:4443", auth: {token_file: token}}
`,
      folder.write('config.yml', ''),
    )
    expect(systems.map(({ auth, labels, tls }) => ({ auth, labels, tls }))).toMatchObject([
      {
        auth: { kind: 'login_file', username: 'monitor', file: `${folder.path}/a` },
        labels: { tier: 'gold', team: 'storage' },
        tls: { insecureSkipVerify: true, serverName: 'ecs' },
      },
      {
        auth: { kind: 'login_file', username: 'monitor', file: `${folder.path}/b` },
        labels: { tier: 'silver', team: 'storage' },
      },
      {
        auth: { kind: 'login', username: 'admin' },
        tls: { insecureSkipVerify: true, serverName: undefined },
      },
      { auth: { kind: 'token_file', file: `${folder.path}/token` } },
    ])
  })
})

describe('a problem', () => {
  test('of what systems inherit is named once, at its source', () => {
    const text = `systems:
  - {name: a, base_url: "https://a:4443"}
  - {name: b, base_url: "https://b:4443", poll: {timeout: 6}}
defaults:
  auth: {username: monitor, password_file: nope}
  tls_config: {ca_file: nope.pem}
  labels: {system: x}
poll: {timeout: 5, stale_after: "\${UNSET}", timout: 1}
resources: {bukets: {schedule: ""}, quotas: {schedule: 1h}}
`
    expect(problemsOf(text)).toEqual([
      '3: systems[1].poll.timeout: expected a duration like 30s, 5m, 7d or 4w',
      '5: defaults.auth.password_file: nope cannot be read: no such file',
      '6: defaults.tls_config.ca_file: nope.pem cannot be read: no such file',
      '7: defaults.labels.system: the metrics have this label already: choose another name',
      '8: poll.stale_after: the environment variable UNSET is not set',
      '8: poll.timeout: expected a duration like 30s, 5m, 7d or 4w',
      '8: poll.timout: unknown key; did you mean timeout?',
      expect.stringContaining('9: resources.quotas.schedule: not a cron expression'),
      '9: resources.bukets: unknown key; did you mean buckets?',
    ])
  })

  test('of what a system has together with what it inherits is of the system', () => {
    const text = `systems:
  - {name: a, base_url: "https://a:4443"}
  - {name: b, base_url: "https://b:4443", auth: {password: p}}
defaults: {auth: {username: monitor}}
`
    expect(problemsOf(text)).toEqual([
      '2: systems[0].auth: needs exactly one of token, token_file, or username with password or password_file',
    ])
  })

  test.each(['name: x', 'base_url: "https://a"', 'pools: []', 'poll: {}'])(
    'is %s below defaults',
    (member) => {
      const text = `defaults: {${member}}\nsystems: [{name: a, base_url: "https://a:4443", auth: {token: t}}]\n`
      expect(problemsOf(text)).toEqual([
        expect.stringMatching(`^1: defaults\\.${member.slice(0, member.indexOf(':'))}: unknown key`),
      ])
    },
  )

  test('of an inherited value counts if only one system is needed', () => {
    const text =
      'systems: [{name: a, base_url: "https://a:4443", auth: {token: t}}, {name: b, base_url: x}]\npoll: {timeout: 5}'
    expect(() => parse(text, 'test.yml', 'a')).toThrow(/1 problem\n {2}line 2: poll\.timeout/)
  })
})
