import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/log.ts'
import { createOwnMetrics } from '../../src/metrics/own.ts'
import { createReadingLog } from '../../src/readings/log/reading_log.ts'
import { createPoller } from '../../src/readings/poller.ts'
import { createProvidersSource } from '../../src/readings/providers.ts'
import { createStateStore } from '../../src/state/store.ts'
import { createEmulator } from '../support/programs/emulator.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitForAssertion } from '../support/wait.ts'
import { configOf, onlySystem, ownMetrics, recordingLog, storeOfA } from './setup.ts'

/** A poller with one emulated system, and the exposition that it renders. */
async function startPoller(options: { token?: string; schedule?: string; faults?: string[] } = {}) {
  const { token = 'emulator-monitor', schedule = neverSchedule(), faults = [] } = options
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', pools: 1, nodes: 1, faults })
  await emulator.start()
  const store = createStateStore(() => undefined)
  const own = createOwnMetrics({ version: 'test', nodeVersion: 'test' })
  const poller = createPoller({ store, own, log: silentLog })
  const systems = [{ name: 'frankfurt', base_url: emulator.url, auth: { token } }]
  const poll = { schedule: '* * * * * *', max_random_delay: '0s' }
  const text = JSON.stringify({ systems, poll, providers: { schedule } })
  await poller.use(parseConfig(text, { file: 'test', environment: {} }))
  return {
    emulator,
    lines: (name: string) =>
      store
        .exposition()
        .text('text')
        .split('\n')
        .filter((line) => line.startsWith(name)),
    inventory: () => store.system('frankfurt')?.inventory,
    tried: () => store.system('frankfurt')?.tried,
    async [Symbol.asyncDispose]() {
      await poller.stop()
      await emulator.stop()
    },
  }
}

describe('the list of providers', () => {
  test('has the number and names of the providers soon after the start', async () => {
    await using started = await startPoller()
    await waitForAssertion(() =>
      expect(started.lines('sds_authn_providers{')).toEqual(['sds_authn_providers{system="frankfurt"} 4']),
    )
    const info = started.lines('sds_authn_provider_info{')
    expect(info).toHaveLength(4)
    expect(info[3]).toMatch(
      /^sds_authn_provider_info\{system="frankfurt",provider="keystone \\"lab\\"",provider_id="urn:storageos:AuthnProvider:[0-9a-f-]+:"\} 1$/,
    )
  })

  test('reports a missing role, and does not show zero providers', async () => {
    await using started = await startPoller({ faults: ['status:403@providers'] })
    await waitForAssertion(() => expect(started.inventory()?.failure?.reason).toBe('forbidden'))
    expect(started.inventory()?.failure?.message).toContain('lacks the role')
    expect(started.lines('sds_authn_provider')).toEqual([])
  })

  test('is off without a schedule', async () => {
    await using started = await startPoller({ schedule: '' })
    await waitForAssertion(() => expect(started.tried()).toBe(true))
    await waitForAssertion(() => expect(started.emulator.log.count('nodes')).toBeGreaterThan(2))
    expect(started.emulator.log.count('providers')).toBe(0)
    expect(started.lines('sds_authn_provider')).toEqual([])
  })

  test('is not requested while the system is down', async () => {
    await using started = await startPoller({ faults: ['status:503,body=none@pools'] })
    await waitForAssertion(() => expect(started.tried()).toBe(true))
    expect(started.emulator.log.count('providers')).toBe(0)
    expect(started.inventory()).toBe(undefined)
  })
})

test('an entry without an id is left out, and counted once, not with each list', async () => {
  let list = '{"authnprovider":[{"name":"a"},{"id":"urn:b:"}]}'
  const store = await storeOfA()
  const source = createProvidersSource({
    system: onlySystem(configOf()),
    client: { read: async (_request, decode) => decode(list) },
    store,
    log: createReadingLog({ log: recordingLog(), own: ownMetrics(), store, system: 'a' }),
    signal: new AbortController().signal,
  })
  const counts: (number | undefined)[] = []
  for (const next of [list, list, '{"authnprovider":[]}', list]) {
    list = next
    await source.read()
    counts.push([...(store.system('a')?.rejections.byAttribute.values() ?? [])][0])
  }
  source.forget()
  expect(counts).toEqual([1, 1, 1, 2])
  expect(store.system('a')?.inventory?.providers).toMatchObject([{ id: 'urn:b:' }])
})
