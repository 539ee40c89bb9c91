import { afterEach, beforeEach, vi } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { createSystemPoller, type SystemPoller } from '../../src/readings/system_poller.ts'
import type { StateStore } from '../../src/state/store.ts'
import {
  clientOf,
  configOf,
  type FakeClient,
  onlySystem,
  ownMetrics,
  recordingLog,
  shown,
  storeOfA,
} from './setup.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
/** Without queries and providers; the section of polls is left open. */
export const WITHOUT_PROVIDERS =
  'performance: {source: feed}\nproviders: {schedule: ""}\npoll: {max_random_delay: 0s'
export const apiError = (reason: ApiError['reason'] = 'timeout') => new ApiError(reason, 'bad')
/** Pollers that the current test started. Without those that never end, because their requests do not. */
export const running: SystemPoller[] = []

/** Each test begins at this time by a clock that it moves; pollers that it started are stopped at its end. */
export function useFakeTime(now = Date.UTC(2026, 0, 1, 12, 0, 30)): void {
  beforeEach(() => void vi.useFakeTimers({ now }))
  afterEach(async () => {
    const stopped = Promise.all(running.splice(0).map((poller) => poller.stop()))
    await vi.advanceTimersByTimeAsync(SECOND)
    await stopped
    vi.useRealTimers()
  })
}

interface SetUpOptions {
  readonly client: FakeClient
  readonly yaml?: string
  /** Ids of the pools in the configuration; undefined for discovery. */
  readonly pools?: readonly string[]
  readonly store?: StateStore
  /** Whether the first round has begun when the promise resolves; true by default. */
  readonly isAwaited?: boolean
}

/** A running system poller with a client of these methods. */
export async function setUp({
  client,
  yaml = `${WITHOUT_PROVIDERS}}\nforecast: {schedule: ""}`,
  pools,
  store,
  isAwaited = true,
}: SetUpOptions) {
  const list = pools === undefined ? '' : `, pools: [${pools.map((id) => `{id: ${id}}`).join(', ')}]`
  const config = configOf(yaml, `{name: a, base_url: "http://127.0.0.1:1", auth: {token: t}${list}}`)
  const log = recordingLog()
  /** Without the list of pools, with which each poller begins. */
  const logLines = () => log.lines.filter(({ message }) => message !== 'polling pools')
  const own = ownMetrics()
  const pollerStore = store ?? (await newStore())
  const poller = createSystemPoller({
    system: onlySystem(config),
    client: clientOf(client),
    store: pollerStore,
    own,
    log,
  })
  running.push(poller)
  poller.start()
  if (isAwaited) await vi.advanceTimersByTimeAsync(20)
  return {
    store: pollerStore,
    log,
    poller,
    own,
    logLines,
    logged: () =>
      logLines().map(({ level, message, fields }) => `${level} ${message} ${fields['reason'] ?? ''}`.trim()),
    polls: () =>
      [
        ...pollerStore
          .exposition()
          .text('text')
          .toString()
          .matchAll(/^sds_pool_polls_total\{.*pool_id="(\w+)",result="(\w+)"\} ([1-9]\d*)$/gm),
      ].map(([, pool, result, count]) => `${pool} ${result} ${count}`),
    free: () => shown(pollerStore, 'sds_node_disk_space_free_bytes', 'node'),
    up: () => shown(pollerStore, 'sds_pool_up', 'pool_id'),
  }
}

export async function newStore(): Promise<StateStore> {
  const store = storeOfA()
  await vi.advanceTimersByTimeAsync(1)
  return store
}
