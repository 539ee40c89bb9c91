import { expect, test } from 'vitest'
import { createLogger } from '../../src/commands/cli/log/logger.ts'
import { parseConfig } from '../../src/config/load.ts'
import { createExporter, type ExporterOptions } from '../../src/exporter/exporter.ts'
import { get, request } from '../support/http.ts'
import { waitFor } from '../support/wait.ts'

type Line = Readonly<Record<string, unknown>>

/** An exporter that requests nothing of its systems. */
function create(more: Partial<ExporterOptions> = {}) {
  const lines: Line[] = []
  const exporter = createExporter({
    load: () => configOf('a'),
    version: '0',
    listenAddress: '127.0.0.1:0',
    lifecycle: false,
    log: createLogger({ level: 'debug', format: 'json', write: (line) => void lines.push(JSON.parse(line)) }),
    ...more,
  })
  return {
    exporter,
    linesOf: (message: string) => lines.filter(({ msg }) => msg === message),
    [Symbol.asyncDispose]: () => exporter.stop(),
  }
}

function configOf(name: string) {
  const text = `systems: [{name: ${name}, base_url: "https://ecs.example.net:4443", auth: {token: t}}]\npoll: {schedule: ""}`
  return parseConfig(text, { file: 'test.yml', environment: {} })
}

const ADMIN = { listenAddress: '127.0.0.1:0', allowedHosts: [] }

test.each([
  ['127.0.0.1:0', undefined, '127.0.0.1'],
  [':0', undefined, '127.0.0.1'],
  [':0', 'admin.example.net', 'admin.example.net'],
])(
  'status page at %s and administration, requested as %s, link to each other',
  async (address, name, host) => {
    const admin = { listenAddress: address, allowedHosts: ['admin.example.net'] }
    await using one = create({ listenAddress: address, allowedHosts: ['admin.example.net'], admin })
    await one.exporter.start()
    const [url, adminUrl = ''] = [one.exporter.url, one.exporter.adminUrl]
    for (const [from, to] of [
      [url, adminUrl],
      [adminUrl, url],
    ] as const) {
      const { text } = await get(
        from.replace('localhost', '127.0.0.1'),
        name === undefined ? {} : { Host: name },
      )
      expect(text).toContain(`<a href="http://${host}:${new URL(to).port}/">`)
    }
  },
)

test('an administration whose port is in use refuses to start', async () => {
  await using first = create({ admin: ADMIN })
  await first.exporter.start()
  const listenAddress = new URL(String(first.exporter.adminUrl)).host
  await using refused = create({ admin: { ...ADMIN, listenAddress } })
  await expect(refused.exporter.start()).rejects.toThrow(`cannot listen on '${listenAddress}'`)
})

test('an administration for other machines without TLS is a warning, one on a loopback address is not', async () => {
  const warnings = async (listenAddress: string) => {
    await using one = create({ admin: { ...ADMIN, listenAddress } })
    await one.exporter.start()
    return one.linesOf(
      'administration is served without TLS to other machines: tokens and passwords are sent unencrypted. ' +
        'Set --admin.config.file, or listen on 127.0.0.1',
    )
  }
  for (const address of ['0.0.0.0:0', ':0'])
    expect(await warnings(address)).toMatchObject([{ level: 'warn', address }])
  for (const address of ['127.0.0.1:0', 'localhost:0']) expect(await warnings(address)).toEqual([])
})

test('the listener for metrics accepts no bodies', async () => {
  await using one = create()
  await one.exporter.start()
  const { status } = await request('GET', `${one.exporter.url}/metrics`, { body: 'text' })
  expect(status).toBe(413)
})

test('a changed file is loaded by itself, and the time of the load is in seconds', async () => {
  let names = ['a']
  const loads: string[] = []
  const load = () => {
    const name = names[0] ?? ''
    loads.push(name)
    return configOf(name)
  }
  const hasChanged = () => loads.at(-1) !== names[0]
  await using one = create({ load, autoReload: { hasChanged, intervalMs: 10 } })
  await one.exporter.start()
  names = ['b']
  const reloaded = () => one.linesOf('configuration reloaded')
  await waitFor(() => reloaded().length > 0, { what: 'a reload' })
  expect(reloaded()).toMatchObject([{ level: 'info', systems: 1 }])
  expect(one.linesOf('a file of the configuration has changed')).toMatchObject([{ level: 'debug' }])
  expect(loads).toEqual(['a', 'b'])
  const { text } = await get(`${one.exporter.url}/metrics`)
  const [, time] = /^sds_exporter_config_last_reload_success_timestamp_seconds (\S+)$/m.exec(text) ?? []
  expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(600)
})
