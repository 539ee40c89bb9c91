/** The operations of the API, by the names in the request log and in the targets of faults. */
export const OPERATIONS = {
  login: 'GET /login',
  logout: 'GET /logout',
  whoami: 'GET /user/whoami',
  pools: 'GET /dashboard/zones/localzone/storagepools',
  varrays: 'GET /vdc/data-services/varrays',
  vdc_nodes: 'GET /vdc/nodes',
  nodes: 'GET /dashboard/storagepools/{id}/nodes, with current values',
  history: 'as nodes, with dataType=historical only',
  forecast: 'as nodes, with category=capacityForecast',
  query: 'POST /flux/api/external/v2/query',
  providers: 'GET /vdc/admin/authnproviders',
  delete: 'DELETE /vdc/admin/authnproviders/{id}',
  other: 'everything else',
} as const
export type Operation = keyof typeof OPERATIONS
/** The operations that read the nodes feed. */
export const FEED_OPERATIONS: readonly Operation[] = ['nodes', 'history', 'forecast']

const PATHS: readonly (readonly [Operation, RegExp])[] = [
  ['login', /^\/login$/],
  ['logout', /^\/logout$/],
  ['whoami', /^\/user\/whoami$/],
  ['pools', /^\/dashboard\/zones\/localzone\/storagepools$/],
  ['varrays', /^\/vdc\/data-services\/varrays$/],
  ['vdc_nodes', /^\/vdc\/nodes$/],
  ['nodes', /^\/dashboard\/storagepools\/[^/]+\/nodes$/],
  ['query', /^\/flux\/api\/external\/v2\/query$/],
  ['providers', /^\/vdc\/admin\/authnproviders$/],
]

/** The operation of a request, also of one that is refused. */
export function operationOf(method: string, path: string, query: string): Operation {
  const bare = path.replace(/\.json$/, '')
  if (method === 'DELETE' && /^\/vdc\/admin\/authnproviders\/[^/]+$/.test(bare)) return 'delete'
  const operation = PATHS.find(([, pattern]) => pattern.test(bare))?.[0] ?? 'other'
  if (operation !== 'nodes') return operation
  if (/(^|&)category=capacityForecast(&|$)/.test(query)) return 'forecast'
  const types = [...query.matchAll(/(?:^|&)dataType=([^&]*)/g)].map(([, type]) => type)
  return types.length > 0 && types.every((type) => type === 'historical') ? 'history' : 'nodes'
}
