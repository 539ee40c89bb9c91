import { expect, test } from 'vitest'
import { createLogger, type LogLevel } from '../../src/commands/cli/log/logger.ts'
import { parseConfig } from '../../src/config/load.ts'
import { createExporter, type Exporter } from '../../src/exporter/exporter.ts'
import { startEmulator } from '../api/client_setup.ts'
import { get, request } from '../support/http.ts'
import type { Emulator } from '../support/programs/emulator.ts'
import { waitFor } from '../support/wait.ts'

/** Only probes cause requests, so that their number is known. */
const ON_REQUEST = `
poll: {schedule: "", timeout: 60s}
limits: {requests_per_second: 1000}
`

type Line = Readonly<Record<string, string | number>>

interface Logging extends AsyncDisposable {
  readonly emulator: Emulator
  readonly exporter: Exporter
  readonly lines: readonly Line[]
  readonly text: () => string
  readonly linesOf: (message: string) => readonly Line[]
}

/** An exporter for an emulated system without performance figures in its feed. */
async function start(level: LogLevel): Promise<Logging> {
  const emulator = await startEmulator({ profile: 'modern', pools: 2, nodes: 3 })
  const system = `{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}`
  const written: string[] = []
  const exporter = createExporter({
    load: () => parseConfig(`systems: [${system}]${ON_REQUEST}`, { file: 'test.yml', environment: {} }),
    version: '0',
    listenAddress: '127.0.0.1:0',
    lifecycle: false,
    admin: { listenAddress: '127.0.0.1:0', allowedHosts: [] },
    log: createLogger({ level, format: 'json', write: (line) => written.push(line) }),
  })
  await exporter.start()
  const lines = () => written.map((line): Line => JSON.parse(line))
  return {
    emulator,
    exporter,
    get lines() {
      return lines()
    },
    text: () => written.join(''),
    linesOf: (message) => lines().filter(({ msg }) => msg === message),
    async [Symbol.asyncDispose]() {
      await exporter.stop()
      await emulator[Symbol.asyncDispose]()
    },
  }
}

async function probe({ exporter }: Logging): Promise<void> {
  const headers = { 'x-prometheus-scrape-timeout-seconds': '120' }
  const answer = await request('GET', `${exporter.url}/probe?system=a`, { headers })
  expect(answer.status).toBe(200)
}

const counted = (values: readonly unknown[]) => values.map(String).toSorted()

test('at level debug, each request and each poll is one line, without secrets', async () => {
  await using logging = await start('debug')
  const { emulator, exporter, linesOf } = logging
  const [first, second] = emulator.pools
  await probe(logging)
  emulator.setFaults([`status:404@nodes,pool=${second?.id}`])
  await probe(logging)
  const admin = await request('GET', `${exporter.adminUrl}/vdc/admin/authnproviders`, {
    headers: { 'x-sds-auth-token': 'emulator-security' },
  })
  expect(admin.status).toBe(200)
  let [lines, requests] = [linesOf('request'), emulator.log.requests()]
  const isLogged = () => {
    ;[lines, requests] = [linesOf('request'), emulator.log.requests()]
    return lines.length === requests.length
  }
  // A request that the stop ends has no line.
  await waitFor(isLogged, { what: 'a line for each request', detail: logging.text })
  expect(counted(lines.map(({ status }) => status))).toEqual(counted(requests.map(({ status }) => status)))
  await exporter.stop()
  const isLoggedOut = () => linesOf('request').some(({ operation }) => operation === 'logout')
  await waitFor(isLoggedOut, { what: 'a line for the logout', detail: logging.text })

  const host = new URL(emulator.url).host
  for (const line of linesOf('request')) {
    const { ts, level, msg, system, operation, status, duration_ms, bytes = 0, said, ...others } = line
    expect({ level, system, ts: typeof ts, operation: typeof operation }).toEqual({
      level: 'debug',
      system: 'a',
      ts: 'string',
      operation: 'string',
    })
    expect(duration_ms).toBeGreaterThanOrEqual(0)
    // The whole text of a refusal, of which messages quote the beginning.
    if (status === 404) expect(said).toMatch(/^Unable to find entity in request URL/)
    else expect(said).toBeUndefined()
    const pool = emulator.pools.find(({ id }) => id === others['pool_id'])
    const isOfPool = operation === 'nodes' || operation === 'forecast'
    expect(others).toEqual({ host, ...(isOfPool && { pool: pool?.name, pool_id: pool?.id }) })
    if (status === 200 && isOfPool) expect(bytes).toBeGreaterThan(100)
  }
  const polls = linesOf('poll').map(({ system, pool, pool_id, outcome, nodes }) => [
    system,
    pool,
    pool_id,
    outcome,
    nodes,
  ])
  const ok = (pool: typeof first) => ['a', pool?.name, pool?.id, 'ok', 3]
  expect(counted(polls)).toEqual(
    counted([ok(first), ok(second), ok(first), ['a', second?.name, second?.id, 'not_found', undefined]]),
  )
  for (const { duration_ms } of linesOf('poll')) expect(duration_ms).toBeGreaterThanOrEqual(0)
  expect(linesOf('poll of the Flux API')[0]).toMatchObject({ system: 'a', outcome: 'ok', nodes: 6 })
  expect(linesOf('poll failed')[0]).toMatchObject({
    level: 'warn',
    pool: second?.name,
    pool_id: second?.id,
    reason: 'not_found',
  })

  const secrets = [...emulator.log.tokens(), 'monitor:emulator', 'emulator-security', 'Authorization']
  for (const secret of secrets) expect(logging.text()).not.toContain(secret)
})

test('at level info, there are lines for changes only', async () => {
  await using logging = await start('info')
  await probe(logging)
  const [first, second] = logging.emulator.pools
  expect(logging.linesOf('polling pools').map(({ appeared, left }) => ({ appeared, left }))).toEqual([
    { appeared: `${first?.name} (${first?.id}), ${second?.name} (${second?.id})`, left: '' },
  ])
  const before = logging.lines
  expect(before.map(({ level }) => level)).not.toContain('debug')
  for (let probes = 0; probes < 3; probes += 1) await probe(logging)
  await get(`${logging.exporter.url}/metrics`)
  expect(logging.lines).toEqual(before)
})
