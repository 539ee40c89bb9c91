import type { ApiErrorName } from './errors.ts'

/** Roles of the storage system (API document, "Authentication"). */
export type Role = 'SYSTEM_MONITOR' | 'SYSTEM_ADMIN' | 'SECURITY_ADMIN'

interface OperationRow {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Parts in braces are parameters. Each path is also served with the suffix `.json`. */
  readonly path: string
  /** Roles that may call it; `public`: without a token. */
  readonly roles: readonly Role[] | 'public'
  /** The error for another role; default: `forbidden`. */
  readonly refusal?: ApiErrorName
}

const ANY_ROLE: readonly Role[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN', 'SECURITY_ADMIN']
const MONITOR: readonly Role[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']

const ZONE = '/dashboard/zones/localzone'

/** The operations of the API, by the names in the request log and in the targets of faults. */
const ROUTES = {
  login: { method: 'GET', path: '/login', roles: 'public' },
  logout: { method: 'GET', path: '/logout', roles: ANY_ROLE },
  whoami: { method: 'GET', path: '/user/whoami', roles: ANY_ROLE },
  system: { method: 'GET', path: ZONE, roles: MONITOR },
  pools: { method: 'GET', path: `${ZONE}/storagepools`, roles: MONITOR },
  replication_groups: { method: 'GET', path: `${ZONE}/replicationgroups`, roles: MONITOR },
  failed_links: { method: 'GET', path: `${ZONE}/rglinksFailed`, roles: MONITOR },
  bootstrap_links: { method: 'GET', path: `${ZONE}/rglinksBootstrap`, roles: MONITOR },
  varrays: { method: 'GET', path: '/vdc/data-services/varrays', roles: ANY_ROLE },
  vdc_nodes: { method: 'GET', path: '/vdc/nodes', roles: ANY_ROLE },
  nodes: { method: 'GET', path: '/dashboard/storagepools/{id}/nodes', roles: MONITOR },
  query: { method: 'POST', path: '/flux/api/external/v2/query', roles: MONITOR, refusal: 'noPermission' },
  namespaces: { method: 'GET', path: '/object/namespaces', roles: MONITOR },
  quota: { method: 'GET', path: '/object/namespaces/namespace/{namespace}/quota', roles: MONITOR },
  usage: { method: 'POST', path: '/object/billing/namespace/info', roles: MONITOR },
  buckets: { method: 'GET', path: '/object/bucket', roles: MONITOR },
  bucket_usage: { method: 'POST', path: '/object/billing/buckets/{namespace}/info', roles: MONITOR },
  license: { method: 'GET', path: '/license', roles: MONITOR },
  providers: { method: 'GET', path: '/vdc/admin/authnproviders', roles: ANY_ROLE },
  // The API document does not name the role for deletions; real systems require this one.
  delete: { method: 'DELETE', path: '/vdc/admin/authnproviders/{id}', roles: ['SECURITY_ADMIN'] },
} as const satisfies Record<string, OperationRow>
export type RoutedOperation = keyof typeof ROUTES
export type Operation = RoutedOperation | 'history' | 'forecast' | 'other'

export const FEED_OPERATIONS: readonly Operation[] = ['nodes', 'history', 'forecast']

export const OPERATION_HELP = {
  ...(Object.fromEntries(
    Object.entries(ROUTES).map(([name, { method, path }]) => [name, `${method} ${path}`]),
  ) as Record<RoutedOperation, string>),
  nodes: `GET ${ROUTES.nodes.path}, with current values`,
  history: 'as nodes, with dataType=historical only',
  forecast: 'as nodes, with category=capacityForecast',
  other: 'everything else',
} as const satisfies Record<Operation, string>

const PATTERNS = (Object.entries(ROUTES) as [RoutedOperation, OperationRow][]).map(([operation, row]) => ({
  operation,
  row,
  // A path with `.json` has no parameter that includes the suffix.
  pattern: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '([^/]+?)')}(?:\\.json)?/?$`),
}))

export type Route = ReturnType<typeof routesOf>[number]

/** The operations at a path, with the values of the parameters as they are in the path. */
export function routesOf(path: string) {
  return PATTERNS.flatMap(({ operation, row, pattern }) => {
    const match = pattern.exec(path)
    return match === null ? [] : [{ operation, row, parameters: match.slice(1) }]
  })
}

export function operationOf(method: string, path: string, query: string): Operation {
  const operation = routesOf(path).find(({ row }) => row.method === method)?.operation ?? 'other'
  if (operation !== 'nodes') return operation
  if (/(^|&)category=capacityForecast(&|$)/.test(query)) return 'forecast'
  const types = [...query.matchAll(/(?:^|&)dataType=([^&]*)/g)].map(([, type]) => type)
  return types.length > 0 && types.every((type) => type === 'historical') ? 'history' : 'nodes'
}
