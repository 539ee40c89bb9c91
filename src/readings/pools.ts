import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { type PoolRef, storagePoolId } from '../api/feed/pools.ts'
import { decodeObjects } from '../api/resources/objects.ts'
import { addObjects } from '../api/resources/reader.ts'
import { createReadingBuilder, type ResourceReading } from '../api/resources/reading.ts'
import { withPools } from '../state/changes.ts'
import { failureOf } from '../state/state.ts'
import { kindWith } from '../system_catalogue.ts'
import { createPoolSources, type PoolOptions, type PoolSources } from './pool.ts'
import { createSource, type Source } from './source.ts'

interface PoolsOptions extends Omit<PoolOptions, 'poolId'> {
  /** Receives what the list says of the pools beyond their ids. */
  readonly noteFigures: (outcome: ResourceReading | ApiError) => void
}

export type Pools = ReturnType<typeof createPools>

export function createPools(options: PoolsOptions) {
  const { system, store, log } = options
  const isConfigured = system.pools !== undefined
  let known: ReadonlyMap<string, PoolSources> | undefined

  function use(list: readonly PoolRef[]): void {
    const before = known ?? new Map<string, PoolSources>()
    // With those from before a reload.
    const shown = [...(store.system(system.name)?.pools.keys() ?? [])]
    store.update(system.name, (state) =>
      withPools({ ...state, discoveryFailure: undefined }, list, system.limits.maxResponseBytes),
    )
    log.pools(shown, list)
    known = new Map(
      list.map(({ id }) => [id, before.get(id) ?? createPoolSources({ ...options, poolId: id })]),
    )
    for (const [id, sources] of before) {
      if (known.has(id)) continue
      sources.forget()
      log.forget(id)
    }
  }

  const hadPools = () => known !== undefined && known.size > 0
  const list = createListSource(options, hadPools, (pools) => {
    if (!isConfigured) use(pools)
  })

  return {
    list,
    all: (): readonly PoolSources[] => [...(known?.values() ?? [])],
    /** Whether it is known which pools there are; there may be none. */
    isKnown: (): boolean => known !== undefined,
    /** Polls the pools of the configuration, or those from before a reload, without a request. */
    takeOver(): void {
      const before = [...(store.system(system.name)?.pools.values() ?? [])].map(({ ref }) => ref)
      if (system.pools !== undefined) use(system.pools.map((id) => ({ id, name: undefined })))
      else if (before.length > 0) use(before)
    },
    forget(): void {
      list.forget()
      for (const sources of known?.values() ?? []) sources.forget()
    },
  }
}

/** Empty lists in a row, each requested twice, after which a system that had pools has none. */
const EMPTY_CONFIRMED = 3
const EMPTY =
  'the list of pools is empty, although the system had pools; they are kept until further lists confirm it'

function createListSource(
  { system, client, store, log, signal, noteFigures }: PoolsOptions,
  hadPools: () => boolean,
  use: (pools: readonly PoolRef[]) => void,
): Source {
  const isConfigured = system.pools !== undefined
  let emptyInRow = 0

  return createSource<PoolList>(
    {
      name: 'the list of pools',
      /** A service that starts may have no pools yet: an empty list is requested again at once. */
      async read(ofSource) {
        const list = await listPools(client, ofSource)
        return list.pools.length === 0 && hadPools() ? listPools(client, ofSource) : list
      },
      keep({ pools, figures }) {
        emptyInRow = pools.length === 0 && hadPools() ? emptyInRow + 1 : 0
        if (emptyInRow > 0 && emptyInRow < EMPTY_CONFIRMED) throw new ApiError('unavailable', EMPTY)
        noteFigures(figures)
        use(pools)
        log.discovered(undefined)
      },
      fail(failure) {
        noteFigures(failure)
        if (isConfigured) return
        log.discovered(failure)
        const discoveryFailure = failureOf(failure, Date.now() / 1000)
        store.update(system.name, (state) => ({ ...state, discoveryFailure }))
      },
      drop: () => undefined,
      keepForMs: Number.POSITIVE_INFINITY,
      // With the next round: an empty list is confirmed or replaced soon.
      retryMs: () => (emptyInRow > 0 ? 0 : undefined),
    },
    {
      signal,
      internalError: log.internalError,
      isDue: !isConfigured || system.resources[POOLS.resource].schedule !== '',
    },
  )
}

const POOLS = kindWith('isListOfPools')

interface PoolList {
  readonly pools: readonly PoolRef[]
  readonly figures: ResourceReading | ApiError
}

export async function listPools(client: Pick<SystemClient, 'pools'>, signal: AbortSignal): Promise<PoolList> {
  let figures: ResourceReading | ApiError | undefined
  const pools = await client.pools(signal, (body, { baseUrl, now }) => {
    const builder = createReadingBuilder(POOLS.resource)
    const idOf = (entry: Parameters<typeof storagePoolId>[0]) => storagePoolId(entry, baseUrl)
    try {
      addObjects(builder, POOLS, decodeObjects(body, POOLS, { ...builder, now, idOf }))
      figures = builder.reading()
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      figures = failure
    }
  })
  return { pools, figures: figures ?? new ApiError('not_found', 'the list of pools has no values of them') }
}
