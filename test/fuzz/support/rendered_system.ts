import fc from 'fast-check'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { decodeFeed, type FeedReading } from '../../../src/api/feed/feed.ts'
import { POOL_LISTS, type PoolRef } from '../../../src/api/feed/pools.ts'
import { parseJson } from '../../../src/api/parse/json.ts'
import type { Provider } from '../../../src/api/providers/providers.ts'
import { decodeProviders } from '../../../src/api/providers/providers.ts'
import type { Part } from '../../../src/metrics/lines.ts'
import { withForecasts, withPoll, withPools } from '../../../src/state/changes.ts'
import { newSystem, type SystemState } from '../../../src/state/state.ts'
import { systemParts } from '../../../src/state/store.ts'
import { mutatedJson } from './arbitraries.ts'
import { FEED_BODIES, POOL_BODIES, PROVIDERS_JSON } from './bodies.ts'
import { resultOrError } from './fuzz.ts'

/** The bodies that a system serves: its lists, and the feed of each pool. */
interface Bodies {
  readonly pools: string
  readonly providers: string
  readonly feeds: readonly string[]
  readonly forecasts: string
}

/** Bodies as JSON text, most of them changed. */
export const bodies: fc.Arbitrary<string> = fc
  .record({
    pools: mutatedJson(POOL_BODIES),
    providers: mutatedJson([PROVIDERS_JSON]),
    feeds: fc.array(fc.oneof(mutatedJson(FEED_BODIES), fc.constantFrom(...FEED_BODIES)), { maxLength: 3 }),
    forecasts: mutatedJson(FEED_BODIES),
  })
  .map((system) => JSON.stringify(system))

export interface RenderedSystem {
  readonly state: SystemState
  readonly parts: readonly Part[]
}

/** The state of a system, and its lines, after one poll of each pool. Bodies that are refused leave no trace. */
export function renderedSystem(name: string, json: string): RenderedSystem {
  const { pools, providers, feeds, forecasts }: Bodies = JSON.parse(json)
  const listed = withPools(newSystem(name), poolsIn(pools))
  const ids = [...listed.pools.keys()]
  const polled = feeds.reduce((system, feed, index) => {
    const reading = read(() => decodeFeed(parseJson(feed)))
    const at = 1_785_312_642
    const refusal = { reason: 'schema' as const, message: 'refused', remedy: 'report it', at }
    const attempt = { at, seconds: 0.5, failure: reading === undefined ? refusal : undefined }
    return withPoll(system, ids[index] ?? '', attempt, reading)
  }, listed)
  const ahead: FeedReading | undefined = read(() => decodeFeed(parseJson(forecasts)))
  const list: readonly Provider[] | undefined = read(() => decodeProviders(providers))
  const inventory = { providers: list, failure: undefined }
  const state = { ...withForecasts(polled, ids[0] ?? '', '7d', ahead), inventory, tried: true }
  return { state, parts: systemParts(state) }
}

function poolsIn(text: string): readonly PoolRef[] {
  const lists = POOL_LISTS.map(({ decode }) => read(() => decode(parseJson(text), 'https://host:4443')))
  return lists.find((list) => list !== undefined) ?? [{ id: 'configured', name: undefined }]
}

function read<T>(decode: () => T): T | undefined {
  const result = resultOrError(decode, ApiError)
  return result instanceof ApiError ? undefined : result
}
