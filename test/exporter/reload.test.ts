import { chmodSync, symlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load.ts'
import { createExporter } from '../../src/exporter/exporter.ts'
import { silentLog } from '../../src/log.ts'
import { startEmulator } from '../api/client_setup.ts'
import { type ExporterSetup, pollEverySecond, startExporter } from '../faults/exporter_setup.ts'
import { temporaryFolder } from '../support/folders.ts'
import { request } from '../support/http.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'
import { waitFor } from '../support/wait.ts'

const login = (name: string, url: string, password = 'emulator') =>
  `{name: ${name}, base_url: "${url}", auth: {username: monitor, password: ${password}}}`
const systems = (...list: string[]) => `systems: [${list.join(', ')}]${pollEverySecond()}`
const post = (setup: ExporterSetup) => request('POST', `${setup.exporter.url}/-/reload`)

describe('an invalid configuration file', () => {
  let emulator: Emulator
  let setup: ExporterSetup

  beforeAll(async () => {
    emulator = createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic' })
    await emulator.start()
    setup = await startExporter(systems(login('a', emulator.url)))
    for (const { id } of emulator.pools) await setup.waitForPolls(id, 'ok')
  })
  afterAll(async () => {
    await setup.exporter.stop()
    await emulator.stop()
  })

  test.each<[string, string, RegExp]>([
    ['nothing', '', /systems: missing/],
    ['invalid YAML', 'systems: [', /not valid YAML/],
    ['a password in the URL', systems(login('b', 'http://u:MARKED@h')), /under auth/],
    ['a missing file', 'systems: [{name: b, base_url: "http://h", auth: {token_file: no}}]', /no such file/],
  ])('%s: nothing changes, and both metrics report it', async (_, yaml, words) => {
    const requests = emulator.log.logins()
    const loadedAt = await setup.value('sds_exporter_config_last_reload_success_timestamp_seconds', {})
    setup.configure(yaml)
    const answer = await post(setup)
    expect(answer.status).toBe(500)
    expect(answer.text).toMatch(words)
    expect(answer.text).not.toContain('MARKED')
    await expect(setup.exporter.reload()).rejects.toThrow(words)
    expect(await setup.value('sds_exporter_config_last_reload_successful', {})).toBe(0)
    expect(await setup.value('sds_exporter_config_last_reload_success_timestamp_seconds', {})).toBe(loadedAt)
    for (const { id } of emulator.pools) expect(await setup.value('sds_pool_up', { pool_id: id })).toBe(1)
    expect(emulator.log.logins()).toEqual(requests)
    expect(setup.log.at(-1)).toMatchObject({ level: 'error', message: 'configuration rejected' })
    expect(JSON.stringify(setup.log)).not.toContain('MARKED')
  })

  test('is followed by a successful reload of a valid file', async () => {
    setup.configure('systems: [')
    expect((await post(setup)).status).toBe(500)
    setup.configure(systems(login('a', emulator.url)))
    expect(await post(setup)).toMatchObject({ status: 200, text: 'Configuration reloaded.\n' })
    expect(await setup.value('sds_exporter_config_last_reload_successful', {})).toBe(1)
    expect(emulator.log.logins()).toEqual({ granted: 1, refused: 0 })
    for (const { id } of emulator.pools) await setup.waitForPolls(id, 'ok')
  })
})

describe('a valid configuration file', () => {
  test('keeps session, values and schedule of unchanged systems, and removes the others', async () => {
    await using stays = await startEmulator({ seed: 'stays', pools: 1 })
    await using goes = await startEmulator({ seed: 'goes', pools: 1 })
    await using comes = await startEmulator({ seed: 'comes', pools: 1 })
    await using setup = await startExporter(systems(login('stays', stays.url), login('goes', goes.url)))
    const [[kept], [left], [added]] = [stays.pools, goes.pools, comes.pools]
    for (const pool of [kept, left]) await setup.waitForPolls(pool?.id ?? '', 'ok')
    const polled = await setup.polls(kept?.id ?? '', 'ok')

    setup.configure(systems(login('comes', comes.url), login('stays', stays.url)))
    await setup.exporter.reload()
    expect(setup.log.filter(({ message }) => /reloaded|leaves/.test(message))).toMatchObject([
      { level: 'info', fields: { systems: 2, added: 'comes', removed: 'goes' } },
      { level: 'warn', fields: { system: 'goes', remedy: expect.stringContaining('silence add') } },
    ])
    expect(goes.liveSessions('monitor')).toBe(0)
    expect(stays.liveSessions('monitor')).toBe(1)
    const text = JSON.stringify(await setup.scrape())
    expect(text).not.toContain('"goes"')
    expect(await setup.polls(kept?.id ?? '', 'ok')).toBeGreaterThanOrEqual(polled)
    expect(await setup.value('sds_pool_up', { system: 'stays' })).toBe(1)
    await setup.waitForPolls(added?.id ?? '', 'ok')
    await setup.waitForPolls(kept?.id ?? '', 'ok', 2)
    expect(stays.log.logins()).toEqual({ granted: 1, refused: 0 })
    const requests = goes.log.count()
    await setup.waitForPolls(kept?.id ?? '', 'ok', 2)
    expect(goes.log.count()).toBe(requests)
  })

  test('keeps the values if only limits change, and removes them if the account changes', async () => {
    await using emulator = await startEmulator({ pools: 1 })
    const [pool] = emulator.pools
    await using setup = await startExporter(systems(login('a', emulator.url)))
    await setup.waitForPolls(pool?.id ?? '', 'ok')
    emulator.setFaults(['half-open@nodes'])

    setup.configure(`${systems(login('a', emulator.url))}\nhistory: {enabled: true}`)
    await setup.exporter.reload()
    expect(emulator.log.logins().granted).toBe(1)
    setup.configure(systems(login('a', emulator.url)).replace('stale_after: 10m', 'stale_after: 50s'))
    await setup.exporter.reload()
    expect(await setup.value('sds_pool_nodes', { pool_id: pool?.id ?? '' })).toBe(5)
    await waitFor(() => emulator.log.logins().granted === 2, { what: 'the new session' })
    expect(emulator.liveSessions('monitor')).toBe(1)

    setup.configure(systems(`{name: a, base_url: "${emulator.url}", auth: {token: emulator-monitor}}`))
    await setup.exporter.reload()
    expect(emulator.liveSessions('monitor')).toBe(0)
    expect(await setup.value('sds_pool_nodes', { pool_id: pool?.id ?? '' })).toBeUndefined()
  })

  test('turns the history on and off, and keeps the session', async () => {
    await using emulator = await startEmulator({ pools: 1 })
    const own = systems(login('a', emulator.url))
    await using setup = await startExporter(own)
    const history = () => request('GET', `${setup.exporter.url}/history?system=a`)
    expect((await history()).status).toBe(404)
    setup.configure(`${own}history: {enabled: true}`)
    await setup.exporter.reload()
    await waitFor(async () => (await history()).text.includes('sds_node_'), { what: 'the history' })
    setup.configure(own)
    await setup.exporter.reload()
    expect((await history()).status).toBe(404)
    expect(emulator.log.logins().granted).toBe(1)
  })

  test('with other thresholds changes the findings of the status', async () => {
    await using emulator = await startEmulator({ pools: 1 })
    const own = systems(login('a', emulator.url))
    await using setup = await startExporter(own)
    await setup.waitForPolls(emulator.pools[0]?.id ?? '', 'ok')
    const problems = async () => {
      const { text } = await request('GET', `${setup.exporter.url}/api/v1/status`)
      return JSON.parse(text).problems.map(({ alert }: { readonly alert: string | null }) => alert)
    }
    expect(await problems()).not.toContain('SdsCapacityHigh')
    setup.configure(`${own}alerting: {thresholds: {used_ratio: {warning: 0.01}}}\n`)
    await setup.exporter.reload()
    expect(await problems()).toContain('SdsCapacityHigh')
  })

  test('with a new password opens a new session', async () => {
    await using emulator = await startEmulator({ pools: 1 })
    const [pool] = emulator.pools
    await using setup = await startExporter(systems(login('a', emulator.url, 'wrong')))
    // What the troubleshooting table describes.
    const isUp = async () => (await setup.value('sds_system_up', { system: 'a' })) === 1
    await waitFor(isUp, { what: 'the first response' })
    expect(await setup.value('sds_api_logins_total', { result: 'auth' })).toBe(1)
    expect((await setup.scrape()).filter(({ name }) => name.startsWith('sds_pool_'))).toEqual([])
    setup.configure(systems(login('a', emulator.url)))
    await setup.exporter.reload()
    await setup.waitForPolls(pool?.id ?? '', 'ok')
    expect(emulator.log.logins()).toEqual({ granted: 1, refused: 1 })
  })

  test('reloaded 40 times leaves one session, and none after the stop', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    await using setup = await startExporter(systems(login('a', emulator.url)))
    for (let round = 1; round <= 40; round += 1) {
      // Every change makes a new session.
      const staleAfter = `stale_after: ${60 + (round % 2)}s`
      setup.configure(systems(login('a', emulator.url)).replace('stale_after: 10m', staleAfter))
      await setup.exporter.reload()
      if (round % 10 === 0)
        await waitFor(() => emulator.liveSessions('monitor') === 1, { what: 'a new session' })
      expect(emulator.liveSessions('monitor')).toBeLessThanOrEqual(1)
    }
    expect(emulator.log.logins().refused).toBe(0)
    await setup.exporter.stop()
    expect(emulator.liveSessions('monitor')).toBe(0)
  })

  test('coalesces 100 simultaneous reloads, and all of them get the result', async () => {
    await using emulator = await startEmulator({ pools: 1 })
    await using setup = await startExporter(systems(login('a', emulator.url)))
    await Promise.all(Array.from({ length: 100 }, () => setup.exporter.reload()))
    const logged = (text: string) => setup.log.filter(({ message }) => message === text).length
    expect(logged('configuration reloaded')).toBeLessThanOrEqual(2)
    setup.configure('systems: [')
    const refused = await Promise.allSettled(Array.from({ length: 100 }, () => setup.exporter.reload()))
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(logged('configuration rejected')).toBeLessThanOrEqual(2)
  })

  test('that arrives during the start follows it', async () => {
    const yaml = (name: string) => systems(login(name, 'http://127.0.0.1:1'))
    const loads = [yaml('older'), yaml('newer')]
    const exporter = createExporter({
      load: () => parseConfig(loads.shift() ?? '', { file: 'test.yml', environment: {} }),
      version: '0',
      listenAddress: '127.0.0.1:0',
      lifecycle: true,
      log: silentLog,
    })
    const starting = exporter.start()
    await Promise.resolve()
    await Promise.all([starting, exporter.reload()])
    const { text } = await request('GET', `${exporter.url}/api/v1/status`)
    await exporter.stop()
    expect(JSON.parse(text)).toMatchObject({ systems: [{ name: 'newer' }] })
  })

  test('rejects a waiting reload on stop', async () => {
    await using emulator = await startEmulator({ pools: 1 })
    const setup = await startExporter(systems(login('a', emulator.url)))
    await setup.waitForPolls(emulator.pools[0]?.id ?? '', 'ok')
    emulator.setFaults(['half-open@logout'])
    setup.configure(systems(login('b', emulator.url)))
    const first = setup.exporter.reload()
    await new Promise(setImmediate)
    const second = setup.exporter.reload()
    const refused = expect(second).rejects.toThrow('being stopped')
    await Promise.all([setup.exporter.stop(), first, refused])
    expect(setup.log.filter(({ message }) => message === 'configuration reloaded')).toHaveLength(1)
  })
})

test('a secret file that every local user can read is a warning, also behind a link', async () => {
  using folder = temporaryFolder()
  const files = [0o600, 0o440, 0o660, 0o644, 0o604].map((mode) => {
    const file = folder.write(`mode-${mode.toString(8)}`, 'emulator')
    chmodSync(file, mode)
    return file
  })
  for (const file of [`${folder.path}/mode-660`, `${folder.path}/mode-644`]) {
    symlinkSync(file, `${file}-link`)
    files.push(`${file}-link`)
  }
  const list = files.map((file, index) => {
    const auth = `{username: monitor, password_file: "${file}"}`
    return `{name: s${index}, base_url: "http://127.0.0.1:1", auth: ${auth}}`
  })
  await using setup = await startExporter(systems(...list))
  const warnings = setup.log.filter(({ message }) => message.includes('every local user'))
  const found = warnings.map(({ level, fields }) => `${level} ${fields['system']}`)
  expect(found).toEqual(['warn s3', 'warn s4', 'warn s6'])
})
