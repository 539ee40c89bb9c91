import { chmodSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChecks } from '../../../src/commands/doctor/check/check.ts'
import { renderReport } from '../../../src/commands/doctor/doctor.ts'
import { selfSigned } from '../../../src/emulator/certificates.ts'
import { startEmulator } from '../../api/client_setup.ts'
import { startReceiver } from '../../otlp/receiver.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { freePort } from '../../support/ports.ts'
import { type Child, startProcess } from '../../support/processes.ts'
import type { Emulator } from '../../support/programs/emulator.ts'
import { type Prometheus, startPrometheus } from '../../support/programs/prometheus.ts'
import { waitFor } from '../../support/wait.ts'
import { runCommand } from '../run_command.ts'
import { runServer } from './doctor_setup.ts'

const PASSWORD = 'emulator'
/** The checks of a system send some fifty requests, which would wait for the rate limit. */
const DEFAULTS = { poll: { timeout: '30s' }, limits: { requests_per_second: 1000 } }
const START_TIMEOUT_MS = 60_000
let emulator: Emulator & AsyncDisposable
let folder: Folder
beforeAll(async () => {
  emulator = await startEmulator({ pools: 2, nodes: 2 })
  folder = temporaryFolder()
})
afterAll(async () => {
  await emulator.stop()
  folder[Symbol.dispose]()
})

const systemAt = (name: string, base_url: string, more = {}) => ({
  name,
  base_url,
  auth: { username: 'monitor', password: PASSWORD },
  ...more,
})

function configure(name: string, systems: readonly object[], rest = {}): string {
  const file = folder.write(name, JSON.stringify({ systems, ...DEFAULTS, ...rest }))
  chmodSync(file, 0o600)
  return file
}

/** Runs the command in a child process without a terminal. */
function doctor(file: string, ...args: string[]) {
  return runCommand(['doctor', `--config.file=${file}`, ...args])
}

const linesWith = (status: string, text: string) =>
  text.split('\n').filter((line) => line.startsWith(`  ${status.padEnd(4)}  `))

describe('doctor', () => {
  test('reports no problems and nothing on stderr for a healthy system', async () => {
    const { code, stdout, stderr } = await doctor(
      configure('good.yml', [systemAt('frankfurt', emulator.url)]),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^system frankfurt\n {2}ok {4}configuration {2}no problems found\n/)
    expect(stdout).toContain('\n  ok    login          monitor is logged in\n')
    expect(stdout).toMatch(/\n\d+ ok, 0 warnings, 0 failures\n$/)
    expect(stdout).not.toContain('\u001b')
    expect(emulator.liveSessions('monitor')).toBe(0)
  })

  test('exits with 1 on a failure, prints the remedy and checks the other systems', async () => {
    const dead = systemAt('dead', `http://127.0.0.1:${await freePort()}`)
    const file = configure('two.yml', [dead, systemAt('frankfurt', emulator.url)])
    const { code, stdout, stderr } = await doctor(file)
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'sds-exporter: 1 failure, see above\n' })
    expect(stdout).toMatch(
      / {2}fail {2}connection {5}127\.0\.0\.1:\d+: connection refused.*\n +→ check host and port/,
    )
    expect(stdout).toContain('  skip  login          skipped: needs http\n')
    expect(stdout.indexOf('system frankfurt')).toBeGreaterThan(stdout.indexOf('system dead'))
    expect(linesWith('ok', stdout.slice(stdout.indexOf('system frankfurt'))).length).toBeGreaterThan(10)
    expect(await doctor(file, '--system=frankfurt')).toMatchObject({ code: 0 })
  })

  test('checks the receiver of the push, and prints no header', async () => {
    await using receiver = await startReceiver()
    const otlp = { endpoint: receiver.url, headers: { authorization: 'Bearer MARKED' } }
    const file = configure('push.yml', [systemAt('frankfurt', emulator.url)], { otlp })
    const good = await doctor(file)
    expect(good.code).toBe(0)
    expect(good.stdout).toContain('\nOTLP\n  ok    push           ')
    expect(receiver.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer MARKED'])
    receiver.respond = (response) => response.writeHead(401).end('not MARKED')
    const bad = await doctor(file)
    expect(bad.code).toBe(1)
    expect(bad.stdout).toMatch(/ {2}fail {2}push {11}.*: refused: HTTP 401: <secret>\n {23}→ correct otlp/s)
    expect(`${good.stdout}${bad.stdout}${bad.stderr}`).not.toContain('MARKED')
  })

  test('warnings do not fail', async () => {
    const auth = { username: 'admin', password: PASSWORD }
    const { code, stdout } = await doctor(
      configure('admin.yml', [systemAt('frankfurt', emulator.url, { auth })]),
    )
    expect(code).toBe(0)
    expect(linesWith('warn', stdout)).toEqual([
      '  warn  role           admin has SYSTEM_ADMIN: more permissions than needed',
    ])
  })

  test('prints no secret, even if a failing system echoes it', async () => {
    const canary = 'canary-4711-secret'
    await using echo = await runServer(
      createServer((request, response) => {
        const asked = request.headers.authorization ?? request.headers['x-sds-auth-token'] ?? ''
        const decoded = Buffer.from(String(asked).replace(/^Basic /, ''), 'base64').toString()
        const body = { code: 1, description: `no ${asked}`, details: `${decoded} ${canary}` }
        response.writeHead(asked === '' ? 401 : 400).end(JSON.stringify(body))
      }),
    )
    const auths = [{ token: canary }, { username: 'monitor', password: canary }]
    const file = configure(
      'canary.yml',
      auths.map((auth, index) => systemAt(`s${index}`, echo.url, { auth })),
    )
    chmodSync(file, 0o644)
    const { code, stdout, stderr } = await doctor(file)
    expect(code).toBe(1)
    expect(linesWith('fail', stdout).length).toBe(2)
    expect(linesWith('warn', stdout)).toContain(
      `  warn  configuration  every local user can read the secret in ${file}`,
    )
    expect(stdout + stderr).not.toContain(canary)
    expect(stdout + stderr).not.toContain(Buffer.from(`monitor:${canary}`).toString('base64'))
  })

  test('prints the findings as JSON', async () => {
    const dead = systemAt('dead', `http://127.0.0.1:${await freePort()}`)
    const file = configure('json.yml', [dead, systemAt('frankfurt', emulator.url)])
    const { code, stdout, stderr } = await doctor(file, '--json')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'sds-exporter: 1 failure, see above\n' })
    const { summary, findings } = JSON.parse(stdout)
    expect(summary).toMatchObject({ warn: 0, fail: 1 })
    expect(findings).toContainEqual({
      scope: 'system',
      system: 'dead',
      check: 'connection',
      status: 'fail',
      subject: expect.stringContaining('127.0.0.1:'),
      text: expect.stringContaining('connection refused'),
      remedy: expect.stringContaining('check host and port'),
    })
    expect(findings).toContainEqual({
      scope: 'system',
      system: 'frankfurt',
      check: 'login',
      status: 'ok',
      subject: null,
      text: 'monitor is logged in',
      remedy: null,
    })
    expect(findings).toHaveLength(Object.values(summary as number[]).reduce((a, b) => a + b, 0))
  })

  test('checks a system although another one has problems in the file', async () => {
    const broken = systemAt('broken', 'https://b', { auth: { token: '${' + 'NO_SUCH_VARIABLE}' } })
    const file = configure('one.yml', [broken, systemAt('frankfurt', emulator.url)])
    expect(await doctor(file)).toMatchObject({ code: 1, stderr: expect.stringContaining('NO_SUCH_VARIABLE') })
    const { code, stdout } = await doctor(file, '--system=frankfurt')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^system frankfurt\n/)
  })

  test('logs out when it is interrupted', async () => {
    await using slow = await startEmulator({ pools: 1, nodes: 1, faults: ['half-open@nodes'] })
    const file = configure('slow.yml', [systemAt('slow', slow.url)], { poll: { timeout: '60s' } })
    await using child = await startProcess(process.execPath, [
      'src/main.ts',
      'doctor',
      `--config.file=${file}`,
    ])
    await expect.poll(() => slow.log.count('nodes')).toBe(1)
    child.kill('SIGINT')
    expect(await child.exited).toEqual({ code: 1, signal: null })
    expect(child.stdout()).toContain('  skip  feed           interrupted\n')
    expect(child.stderr()).toBe('sds-exporter: interrupted\n')
    expect(child.stdout()).toContain('  skip  values         skipped: interrupted\n')
    expect(slow.liveSessions('monitor')).toBe(0)
  })

  test('offers to save the certificate to a ca_file that is missing, and replaces it when it has changed', async () => {
    using own = temporaryFolder()
    const ca_file = `${own.path}/ca.pem`
    const file = configure('tls.yml', [])
    const start = async () =>
      startEmulator({ pools: 1, nodes: 1, tls: await selfSigned({ names: ['127.0.0.1'] }) })
    async function save(url: string): Promise<string> {
      configure('tls.yml', [systemAt('a', url, { tls_config: { ca_file } })])
      const { stdout } = await doctor(file)
      expect(linesWith('fail', stdout).at(-1)).toMatch(
        / {2}connection +127\.0\.0\.1:\d+: .*self-signed|ca_file/,
      )
      const [, command = ''] = /if it is the same, run sds-exporter (doctor .*)$/m.exec(stdout) ?? []
      return (await runCommand(command.split(' '))).stdout
    }
    await using first = await start()
    expect(await save(first.url)).toContain(`wrote ${ca_file}, with the SHA-256 fingerprint `)
    expect(await doctor(file)).toMatchObject({ code: 0 })
    await using second = await start()
    expect(await save(second.url)).toMatch(/fingerprint [\dA-F:]{95} instead of [\dA-F:]{95}\n/)
    expect(await doctor(file)).toMatchObject({ code: 0 })
  })

  test('needs the ca_file of data ports, which it does not write', async () => {
    const resources = { data_nodes: { tls_config: { ca_file: '/nowhere/ca.pem' } } }
    const { code, stderr } = await doctor(
      configure('data.yml', [systemAt('a', 'https://127.0.0.1:1')], { resources }),
    )
    expect(code).toBe(1)
    expect(stderr).toContain('resources.data_nodes.tls_config.ca_file: /nowhere/ca.pem')
  })

  test('reports an invalid configuration file', async () => {
    const { code, stdout, stderr } = await doctor(
      configure('bad.yml', [{ name: 'a', base_url: 'x', auth: {} }]),
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('  line 1: systems[0].base_url[0]: not a URL: write https://x:4443\n')
    expect(stderr).toContain('  line 1: systems[0].auth: needs exactly one of')
  })

  test.each([
    ['an unknown system', '--system=rome', 'configured systems: frankfurt'],
    ['a test alert without a Prometheus', '--test-alert', '--test-alert needs --prometheus.url'],
    ['an invalid URL', '--prometheus.url=prometheus:9090', 'must begin with http'],
    ['a password', '--prometheus.url=http://a:canary@b', 'must not contain a user or password'],
  ])('%s is a usage error', async (_, flag, words) => {
    const file = configure('usage.yml', [systemAt('frankfurt', emulator.url)])
    const { code, stdout, stderr } = await doctor(file, flag)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^sds-exporter: (?!error: )/)
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('canary')
  })
})

describe('with a real Prometheus', () => {
  let exporter: Child
  let prometheus: Prometheus
  let file: string

  beforeAll(async () => {
    file = configure('watched.yml', [systemAt('frankfurt', emulator.url)])
    exporter = await startProcess(process.execPath, [
      'src/main.ts',
      'serve',
      `--config.file=${file}`,
      '--web.listen-address=127.0.0.1:0',
      '--admin.listen-address=',
    ])
    const [, host = ''] = await exporter.waitForOutput(/url="?http:\/\/([\d.:]+)/, {
      timeout: START_TIMEOUT_MS,
    })
    const job = (job_name: string, scrape_interval: string, target: string) => ({
      job_name,
      scrape_interval,
      static_configs: [{ targets: [target] }],
    })
    prometheus = await startPrometheus({
      config: {
        scrape_configs: [
          job('storage', '1s', host),
          job('sds-exporter', '1s', `127.0.0.1:${await freePort()}`),
          job('other', '3m', '127.0.0.1:1'),
        ],
      },
      ruleFiles: ['deploy/prometheus/rules/*.yml'],
      alertmanagers: ['127.0.0.1:9'],
    })
    await prometheus.waitForSamples('count(sds_pool_up == 1) == 2')
    await prometheus.waitForSamples('up{job="sds-exporter"} == 0')
  }, 2 * START_TIMEOUT_MS)
  afterAll(async () => {
    await prometheus?.stop()
    await exporter?.stop()
  })

  const sectionOf = (stdout: string) => stdout.slice(stdout.indexOf('\nPrometheus\n'))

  test('checks targets, pools and rules', async () => {
    // On a loaded machine, a scrape may take longer than its interval, so that the target is down for a moment.
    let last = ''
    const { code, stdout } = await waitFor(
      async () => {
        const done = await doctor(file, `--prometheus.url=${prometheus.url}/`)
        last = done.stdout
        return last.includes(' 2 failures\n') && done
      },
      { what: 'two failures only', detail: () => last },
    )
    const section = sectionOf(stdout)
    expect(section).toContain(`  ok    prometheus     ${prometheus.url}: scrapes 3 targets\n`)
    expect(section).toMatch(/ {2}ok {4}target {9}storage 127\.0\.0\.1:\d+: up\n/)
    expect(section).toContain('  ok    pools          frankfurt: up: 2 pools\n')
    expect(section).toMatch(/ {2}ok {4}rules {10}loaded: \d\d alerts, \d+ recording rules\n/)
    expect(section).toContain('  fail  alerting       http://127.0.0.1:9: did not respond')
    // The second target is not running either.
    expect(section).toMatch(
      / {2}fail {2}target {9}sds-exporter \S+: down: .*refused\n +→ connection refused: start the exporter/,
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/ 0 warnings, 2 failures\n$/)
  })

  test('reports pools and systems that Prometheus does not have', async () => {
    const [hot] = emulator.pools
    const bare = hot?.id.split(':').at(-1)
    const strange = configure(
      'strange.yml',
      [
        systemAt('frankfurt', emulator.url, { pools: [{ id: hot?.id }, { id: bare }] }),
        systemAt('paris', emulator.url),
      ],
      { poll: { timeout: '30s', schedule: '*/1 * * * * *' }, limits: { requests_per_second: 100 } },
    )
    const { code, stdout } = await doctor(strange, `--prometheus.url=${prometheus.url}`)
    const section = sectionOf(stdout)
    expect(code).toBe(1)
    expect(section).toContain(
      `  fail  pools          frankfurt ${bare}: Prometheus does not have this pool\n`,
    )
    expect(section).toContain('  fail  pools          paris: Prometheus has no pools of this system\n')
  })
})

describe('an invalid Prometheus URL', () => {
  const withTargets = (targets: string) => `{"status":"success","data":{"activeTargets":[${targets}]}}`
  const NO_API = 'is not the API of Prometheus (HTTP 200)'
  const NO_TARGET = 'Prometheus has no target for this exporter'
  test.each([
    ['no server', undefined, 'did not respond: connect ECONNREFUSED', 'correct --prometheus.url'],
    ['another server', [200, '<html>'], NO_API, 'correct --prometheus.url'],
    ['a server with other data', [200, withTargets('null')], NO_API, 'correct --prometheus.url'],
    ['a server with a login', [401, ''], 'refused the request (HTTP 401)', 'needs no authentication'],
    [
      'a Prometheus without a target for this exporter',
      [200, withTargets('')],
      NO_TARGET,
      'add a scrape job',
    ],
  ] as const)('reports %s', async (_, answer, text, remedy) => {
    await using other = await runServer(
      createServer((_, response) => response.writeHead(answer?.[0] ?? 200).end(answer?.[1])),
    )
    const url = answer === undefined ? `http://127.0.0.1:${await freePort()}` : other.url
    const dead = systemAt('dead', `http://127.0.0.1:${await freePort()}`)
    const { code, stdout } = await doctor(configure('dead.yml', [dead]), `--prometheus.url=${url}`)
    expect(code).toBe(1)
    const section = stdout.slice(stdout.indexOf('\nPrometheus\n'))
    expect(section).toContain(text)
    expect(section).toContain(remedy)
    expect(section).toContain('  skip  rules          skipped: needs target\n')
  })
})

describe('checks and their report', () => {
  test('an exception in a check is reported, and others run', async () => {
    const { run, reports } = createChecks({ signal: new AbortController().signal, onCheck: () => undefined })
    const first = await run('first', {}, (): { findings: []; fact: number } => {
      throw new RangeError('too far')
    })
    await run('next', { first }, () => [])
    await run('last', {}, () => [{ status: 'ok', text: 'fine' }])
    expect(reports.map(({ findings }) => findings[0]?.text)).toEqual([
      'internal error in this check: RangeError: too far',
      'skipped: needs first',
      'fine',
    ])
  })

  test('escapes untrusted text', () => {
    const findings = [{ status: 'fail', subject: 'a\u001b[2J', text: 'b\nc', remedy: 'd\re' }] as const
    expect(renderReport('head', [{ title: 'feed', findings }], process.stderr)).toBe(
      'head\n  fail  feed           a\\u001b[2J: b\\u000ac\n                       → d\\u000de\n',
    )
  })
})
