import { hashSync } from 'bcryptjs'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_FLAGS, adminFrom } from '../../../src/commands/cli/flags/flags.ts'
import { addFlags } from '../../../src/commands/cli/flags/table.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { type AdminOptions, createExporter, type Exporter } from '../../../src/exporter/exporter.ts'
import {
  LIST,
  MONITOR,
  providerIds,
  SECURITY,
  type StartedEmulator,
  startEmulator,
} from '../../server/admin/admin_setup.ts'
import { LOCAL_SANS, makeAuthority } from '../../server/listener/certificates.ts'
import { type RecordedLog, recordLog } from '../../server/listener/listener_setup.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get, request } from '../../support/http.ts'
import { waitForAssertion } from '../../support/wait.ts'

let emulator: StartedEmulator
let folder: Folder
let log: RecordedLog
const exporters: Exporter[] = []
beforeEach(async () => {
  emulator = await startEmulator()
  folder = temporaryFolder()
  log = recordLog()
})
afterEach(async () => {
  await Promise.all(exporters.splice(0).map((exporter) => exporter.stop()))
  await emulator.stop()
  folder[Symbol.dispose]()
})

interface Starting {
  readonly admin?: Partial<AdminOptions> | undefined
  readonly systems?: () => Readonly<Record<string, string>>
}

/** The whole exporter, with a session of its own at the system. */
function createWith({ admin = {}, systems = () => ({ frankfurt: emulator.url }) }: Starting = {}): Exporter {
  const load = () => {
    const list = Object.entries(systems()).map(([name, base_url]) => ({
      name,
      base_url,
      auth: { username: 'monitor', password: 'emulator' },
    }))
    const poll = { schedule: '* * * * * *', max_random_delay: '0s' }
    // Resources are read at a tenth of the limit.
    const limits = { requests_per_second: 1000 }
    return parseConfig(JSON.stringify({ systems: list, poll, limits }), { file: 'test', environment: {} })
  }
  const exporter = createExporter({
    load,
    version: 'test',
    listenAddress: '127.0.0.1:0',
    lifecycle: false,
    admin: { listenAddress: '127.0.0.1:0', allowedHosts: [], ...admin },
    log,
  })
  exporters.push(exporter)
  return exporter
}

async function start(starting: Starting = {}): Promise<Exporter> {
  const exporter = createWith(starting)
  await exporter.start()
  return exporter
}

/** Provider lists requested with one of these tokens. */
function listsOf(tokens: ReadonlySet<string>) {
  const lists = emulator.log.requests().filter(({ operation }) => operation === 'providers')
  return lists.filter(({ token: used }) => tokens.has(used ?? ''))
}

const token = (value: string) => ({ 'X-SDS-AUTH-TOKEN': value })

test("provider administration never uses the exporter's own session", async () => {
  const exporter = await start()
  await waitForAssertion(async () =>
    expect((await get(`${exporter.url}/metrics`)).text).toContain('sds_node_info{'),
  )
  const own = new Set(emulator.log.tokens())
  expect(own.size).toBe(1)
  const [id] = await providerIds(emulator)
  const url = exporter.adminUrl ?? ''
  for (const headers of [{}, token('wrong'), token(MONITOR), token(SECURITY)]) {
    await get(`${url}${LIST}`, headers)
    await get(`${url}${LIST}.json`, headers)
    await request('DELETE', `${url}${LIST}/${id}`, { headers })
  }
  const administrative = emulator.log
    .requests()
    .filter(({ operation }) => ['delete', 'whoami'].includes(operation))
  expect(administrative.length).toBeGreaterThan(3)
  expect(administrative.filter(({ token: used }) => own.has(used ?? ''))).toEqual([])
  // The exporter's session requested only the list for the inventory.
  await waitForAssertion(() => expect(listsOf(own)).toHaveLength(1))
  expect((await get(`${exporter.url}${LIST}`, token(SECURITY))).status).toBe(404)
})

test('a reload adds and removes systems', async () => {
  await using second = await startEmulator({ seed: 'second' })
  let systems: Record<string, string> = { frankfurt: emulator.url }
  const exporter = await start({ systems: () => systems })
  const names = async () => JSON.parse((await get(`${exporter.adminUrl}/systems`)).text).systems
  expect(await names()).toEqual(['frankfurt'])
  systems = { frankfurt: emulator.url, paris: second.url }
  await exporter.reload()
  expect(await names()).toEqual(['frankfurt', 'paris'])
  expect((await get(`${exporter.adminUrl}/systems/paris${LIST}`, token(MONITOR))).status).toBe(200)
  systems = { paris: second.url }
  await exporter.reload()
  expect((await get(`${exporter.adminUrl}/systems/frankfurt${LIST}`, token(MONITOR))).status).toBe(404)
  expect((await get(`${exporter.adminUrl}${LIST}`, token(MONITOR))).status).toBe(200)
})

describe('the listener', () => {
  test('uses TLS and users of its own web configuration, and does not warn', async () => {
    const authority = await makeAuthority('test')
    const { cert, key } = await authority.issue('localhost', LOCAL_SANS)
    folder.write('server.crt', cert)
    folder.write('server.key', key)
    const configFile = folder.write(
      'web.yml',
      `tls_server_config: {cert_file: server.crt, key_file: server.key}\nbasic_auth_users: {alice: ${hashSync('secret', 4)}}\n`,
    )
    const { adminUrl = '' } = await start({ admin: { listenAddress: ':0', configFile } })
    const url = adminUrl.replace('localhost', '127.0.0.1')
    expect(url).toMatch(/^https:/)
    expect(log.lines.filter((line) => line.startsWith('warn administration'))).toEqual([])
    const tls = { ca: authority.cert }
    const basic = { Authorization: `Basic ${Buffer.from('alice:secret').toString('base64')}` }
    const ask = (headers: Record<string, string>) => request('GET', `${url}${LIST}`, { headers, tls })
    expect((await ask(token(MONITOR))).status).toBe(401)
    expect((await ask({ ...token(MONITOR), ...basic })).status).toBe(200)
    expect((await ask({ ...token(MONITOR), ...basic, Origin: url })).status).toBe(200)
    expect((await ask({ ...token(MONITOR), ...basic, Origin: url.replace('https', 'http') })).status).toBe(
      403,
    )
    expect((await request('GET', `${url}/-/healthy`, { tls })).status).toBe(200)
    const sent = emulator.log.requests().filter(({ token: used }) => used === MONITOR)
    expect(sent.length).toBe(2)
    expect(sent.every(({ headers }) => headers['authorization'] === undefined)).toBe(true)
  })
})

describe('the flags', () => {
  const parse = (...args: string[]) => {
    const command = addFlags(new Command(), ADMIN_FLAGS)
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
    return adminFrom(command.parse(args, { from: 'user' }).opts())
  }

  test('listen on the loopback address by default', () => {
    expect(parse()).toEqual({ listenAddress: '127.0.0.1:9439', allowedHosts: [] })
  })

  test('disable it with an empty address', () => {
    expect(parse('--admin.listen-address=')).toBe(undefined)
  })

  test('accept several names, comma-separated or repeated', () => {
    const admin = parse(
      '--admin.allowed-hosts=a.example, b.example:8443',
      '--admin.allowed-hosts',
      '[::1]:9439',
    )
    expect(admin?.allowedHosts).toEqual(['a.example', 'b.example:8443', '[::1]:9439'])
  })

  test.each(['*', 'https://a.example', 'a b', ''])('refuse the name "%s"', (name) => {
    expect(() => parse(`--admin.allowed-hosts=${name}`)).toThrow('is not a host name')
  })
})
