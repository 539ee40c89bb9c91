import type { SystemClient } from '../../src/api/client.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { decodeFeed, type FeedReading } from '../../src/api/feed/feed.ts'
import type { PoolList, PoolRef } from '../../src/api/resources/pool_list.ts'
import type { Config, ResourcesConfig, SystemConfig } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/load.ts'
import { type Fields, fieldsOf, type Log } from '../../src/log.ts'
import { createOwnMetrics } from '../../src/metrics/own.ts'
import { createStateStore, type StateStore } from '../../src/state/store.ts'
import { RESOURCES, type ResourceName, type ResourceRow } from '../../src/system_catalogue.ts'
import { parseExposition } from '../metrics/exposition_text.ts'

export const T = 1_785_312_642

/** A feed with these nodes: free bytes by node name. `forecast` is in days. */
export function readingOf(
  nodes: Readonly<Record<string, number>>,
  pool = 'sp1',
  forecast?: string,
): FeedReading {
  return decodeFeed({
    _embedded: {
      _instances: Object.entries(nodes).map(([name, free]) => ({
        id: `id-${name}`,
        displayName: name,
        storagePoolName: pool,
        diskSpaceFreeCurrent: [{ t: T, Space: free }],
        ...(forecast !== undefined && {
          allocatedCapacityForecast: [{ unit: 'day', forecast, history: '7', target: '80' }],
        }),
      })),
    },
  })
}

/** Methods of a client. The pools may come without the values that their list has of them. */
export type FakeClient = Partial<Omit<SystemClient, 'pools'>> & {
  readonly pools?: (signal: AbortSignal) => Promise<readonly PoolRef[] | PoolList>
}

/** A client with these methods. All others reject. */
export function clientOf({ nodes, pools, ...methods }: FakeClient): SystemClient {
  const unexpected = () => Promise.reject(new Error('unexpected request'))
  return {
    nodes: nodes ?? unexpected,
    forecasts: unexpected,
    history: unexpected,
    async pools(signal) {
      const list = (await pools?.(signal)) ?? (await unexpected())
      return 'pools' in list ? list : { pools: list, values: new ApiError('not_found', 'no values') }
    },
    resource: () => Promise.reject(new ApiError('not_found', 'no resources')),
    query: unexpected,
    openDataPorts: () => ({ read: unexpected, close: async () => undefined }),
    account: unexpected,
    status: () => ({
      session: { state: 'open', loggedInAtMs: undefined, pauseMs: 0 },
      operations: { running: 0, waiting: 0 },
      pauseMs: 0,
      endpoints: [],
    }),
    close: async () => undefined,
    ...methods,
  }
}

/** A system whose only resource is the list of nodes with this version. */
export function servesVersion(version: string): SystemClient['resource'] {
  return async ({ operation }, decode) => {
    if (operation !== 'version') throw new ApiError('not_found', 'no resources')
    return decode({ node: [{ version }] }, { baseUrl: '', now: 0 })
  }
}

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Fields
}

/** @param level the least severe lines that are recorded */
export function recordingLog(level: 'debug' | 'info' = 'info'): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const at =
    (level: string) =>
    (message: string, fields: Fields = {}) =>
      void lines.push({ level, message, fields })
  const debug: Log['debug'] = (message, fields) => {
    if (level === 'debug') lines.push({ level, message, fields: fieldsOf(fields) })
  }
  return { lines, debug, info: at('info'), warn: at('warn'), error: at('error') }
}

/**
 * A configuration of one system, `a` by default, and the other sections in `yaml`. Without a section `resources` there,
 * no resource is read.
 */
export function configOf(
  yaml = '',
  system = '{name: a, base_url: "http://127.0.0.1:1", auth: {token: t}}',
): Config {
  const config = parseConfig(`systems: [${system}]\n${yaml}`, { file: 'test.yml', environment: {} })
  return yaml.includes('resources:') ? config : withoutResources(config)
}

/** Those with a section of their own are configured by it; the list of pools is read to discover them. */
function onlyOwnSections({ pools, resources }: SystemConfig): ResourcesConfig {
  const entries = Object.entries(resources).map(([name, one]) => {
    const row: ResourceRow = RESOURCES[name as ResourceName]
    const isKept = row.isOfPolls ? pools === undefined : row.section !== undefined
    return [name, isKept ? one : { ...one, schedule: '' }]
  })
  return Object.fromEntries(entries)
}

export function withoutResources(config: Config): Config {
  const systems = config.systems.map((one) => ({ ...one, resources: onlyOwnSections(one) }))
  return { ...config, systems }
}

export function onlySystem({ systems: [system] }: Config): SystemConfig {
  if (system === undefined) throw new Error('a system is required')
  return system
}

export function ownMetrics() {
  return createOwnMetrics({ version: '1', nodeVersion: 'v24' })
}

/** A store that shows system `a`. */
export async function storeOfA(): Promise<StateStore> {
  const store = createStateStore()
  await store.show([{ name: 'a' }])
  return store
}

/** The samples of a family on the exposition: values by the value of one label. */
export function shown(store: StateStore, family: string, label: string): Record<string, number> {
  const series = parseExposition(store.exposition().text('text')).filter(({ name }) => name === family)
  return Object.fromEntries(series.map(({ labels, value }) => [labels[label] ?? '', value]))
}
