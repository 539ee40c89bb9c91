import { describe, expect, test } from 'vitest'
import { ApiError, asApiError } from '../../src/api/errors/errors.ts'
import { PROVIDERS_PATH } from '../../src/api/providers/providers.ts'
import { parseConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/log.ts'
import { linesOf } from '../../src/metrics/lines.ts'
import { createOwnMetrics } from '../../src/metrics/own.ts'
import { createInventory } from '../../src/poller/inventory.ts'
import { createPollLog } from '../../src/poller/log/poll_log.ts'
import { createPoller } from '../../src/poller/poller.ts'
import { systemPart } from '../../src/state/samples.ts'
import { newSystem, type SystemState } from '../../src/state/state.ts'
import { createStateStore } from '../../src/state/store.ts'
import { createEmulator } from '../support/programs/emulator.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitForAssertion } from '../support/wait.ts'
import { ownMetrics, recordingLog, storeOfA } from './setup.ts'

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

describe('the inventory', () => {
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

/** Adds the place to a failure, as the client does. */
function located<T>(task: () => T): T {
  try {
    return task()
  } catch (failure) {
    throw asApiError(failure, { system: 'frankfurt', operation: 'providers', path: PROVIDERS_PATH })
  }
}

describe('a list that fails', () => {
  /** The states after each of these responses and failures of the list of providers. */
  async function states(
    responses: readonly (string | Error)[],
    { log = silentLog, signal = new AbortController().signal } = {},
  ): Promise<SystemState[]> {
    let state = newSystem('frankfurt')
    const queue = [...responses]
    const inventory = createInventory({
      system: 'frankfurt',
      isDue: true,
      pollLog: createPollLog({ log, own: ownMetrics(), store: await storeOfA(), system: 'frankfurt' }),
      store: {
        update: async (_name, change) => {
          const next = change(state)
          state = next
        },
      },
      client: {
        read: async (_request, decode) => {
          const next = queue.shift() ?? ''
          if (typeof next === 'string') return located(() => decode(next))
          throw next
        },
      },
    })
    const seen: SystemState[] = []
    for (const _ of responses) {
      await inventory.makeDue()
      await inventory.requestIfDue(signal)
      seen.push(state)
    }
    return seen
  }
  const LIST =
    '{"authnprovider":[{"id":"urn:a:","name":"a"},{"id":"urn:a:","name":"b"},{"id":"urn:c","name":""}]}'
  const series = (state: SystemState | undefined) =>
    state && linesOf(systemPart(state), 'sds_authn_providers')?.toString()
  const TWO = 'sds_authn_providers{system="frankfurt"} 2\n'

  test('once keeps the last list, twice withdraws it', async () => {
    const down = new ApiError('unavailable', 'down')
    const [good, once, twice, again] = await states([LIST, down, down, LIST])
    expect([good, once, twice, again].map(series)).toEqual([TWO, TWO, undefined, TWO])
    expect(once?.inventory?.failure).toMatchObject({ reason: 'unavailable', message: 'down' })
  })

  test.each([
    ['timeout', TWO],
    ['unavailable', TWO],
    ['server_error', TWO],
    ['forbidden', undefined],
    ['schema', undefined],
  ] as const)('with reason %s leaves %j', async (reason, expected) => {
    const [, failed] = await states([LIST, new ApiError(reason, 'bad')])
    expect(series(failed)).toBe(expected)
  })

  test('from the start has a failure, and no list', async () => {
    const [state] = await states([new ApiError('timeout', 'down')])
    expect(state?.inventory).toMatchObject({ providers: undefined, failure: { reason: 'timeout' } })
  })

  test('once, now and then, keeps the list each time', async () => {
    const down = new ApiError('timeout', 'down')
    const all = await states([LIST, down, LIST, down, LIST, down])
    expect(all.map(series)).toEqual(all.map(() => TWO))
  })

  test('is logged for each new reason, and when it works again', async () => {
    const log = recordingLog()
    const [down, refused] = [new ApiError('timeout', 'down'), new ApiError('forbidden', 'no role')]
    await states([LIST, down, refused, down, refused, LIST, LIST, down], { log })
    expect(log.lines.map(({ level, fields }) => `${level} ${fields['reason'] ?? 'works'}`)).toEqual([
      'warn timeout',
      'warn forbidden',
      'info works',
      'warn timeout',
    ])
    expect(new Set(log.lines.map(({ fields }) => fields['system']))).toEqual(new Set(['frankfurt']))
  })

  test('because the poller stops changes nothing', async () => {
    const [state] = await states([new ApiError('reset', 'aborted')], { signal: AbortSignal.abort() })
    expect(state?.inventory).toBeUndefined()
  })

  test('with an internal error is thrown', async () => {
    await expect(states([new TypeError('a bug')])).rejects.toThrow('a bug')
  })

  test('because of a missing role withdraws it at once', async () => {
    const [, refused] = await states([LIST, new ApiError('forbidden', 'no role')])
    expect(series(refused)).toBe(undefined)
    expect(refused?.inventory?.providers).toBe(undefined)
  })

  test('because it is not a list is reported with time and remedy', async () => {
    const [state] = await states(['{"error":"no list"}'])
    const failure = state?.inventory?.failure
    expect(failure).toMatchObject({ reason: 'schema', remedy: expect.stringContaining('report this') })
    expect(failure?.message).not.toBe('')
    expect(Math.abs((failure?.at ?? 0) - Date.now() / 1000)).toBeLessThan(3600)
  })

  test('of one entry, because it has no id, is counted once, not with each list', async () => {
    const list = '{"authnprovider":[{"name":"a"},{"id":"urn:b:"}]}'
    const all = await states([list, list, LIST, list])
    const counts = all.map(
      (state) => state && linesOf(state.rejections.part, 'sds_api_rejected_values_total'),
    )
    expect(counts.map(String)).toEqual(
      [1, 1, 1, 2].map(
        (times) =>
          `sds_api_rejected_values_total{system="frankfurt",attribute="providers",reason="no_id"} ${times}\n`,
      ),
    )
    expect(all[0]?.inventory?.providers).toMatchObject([{ id: 'urn:b:' }])
  })

  test('is not an empty list, which shows zero providers', async () => {
    const [state] = await states(['<authnproviders/>'])
    expect(series(state)).toBe('sds_authn_providers{system="frankfurt"} 0\n')
  })

  test('is not one with duplicates or without names: they are shown once, and by id', async () => {
    const [state] = await states([LIST])
    expect(state && linesOf(systemPart(state), 'sds_authn_provider_info')?.toString()).toBe(
      'sds_authn_provider_info{system="frankfurt",provider="b",provider_id="urn:a:"} 1\n' +
        'sds_authn_provider_info{system="frankfurt",provider="urn:c",provider_id="urn:c"} 1\n',
    )
  })

  test('is not one with ids that differ in invalid Unicode only, which would be equal labels', async () => {
    const [state] = await states([
      String.raw`{"authnprovider":[{"id":"urn:\ud800","name":"a"},{"id":"urn:\ud801","name":"a"}]}`,
    ])
    expect(series(state)).toBe('sds_authn_providers{system="frankfurt"} 1\n')
  })
})
