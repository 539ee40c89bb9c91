import { kindsOf, type ObjectName, RESOURCES } from '../../system_catalogue.ts'
import type { ErrorName } from './errors.ts'

/** Roles of the storage system (API document, "Authentication"). */
export const ROLES = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN', 'SECURITY_ADMIN'] as const
export type Role = (typeof ROLES)[number]

interface OperationRow {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Parts in braces are parameters. Each path is also served with the suffix `.json`. */
  readonly path: string
  /** Roles that may call it; `public`: without a token. */
  readonly roles: readonly Role[] | 'public'
  /** The error for another role; default: `forbidden`. */
  readonly refusal?: ErrorName
}

const MONITOR: readonly Role[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']

const ZONE = '/dashboard/zones/localzone'

/** The operations of the API, by the names in the request log and in the targets of faults. */
const ROUTES = {
  login: { method: 'GET', path: '/login', roles: 'public' },
  logout: { method: 'GET', path: '/logout', roles: ROLES },
  whoami: { method: 'GET', path: '/user/whoami', roles: ROLES },
  system: { method: 'GET', path: ZONE, roles: MONITOR },
  pools: { method: 'GET', path: `${ZONE}/storagepools`, roles: MONITOR },
  replication_groups: { method: 'GET', path: `${ZONE}/replicationgroups`, roles: MONITOR },
  failed_links: { method: 'GET', path: `${ZONE}/rglinksFailed`, roles: MONITOR },
  bootstrap_links: { method: 'GET', path: `${ZONE}/rglinksBootstrap`, roles: MONITOR },
  varrays: { method: 'GET', path: '/vdc/data-services/varrays', roles: ROLES },
  vdc_nodes: { method: 'GET', path: '/vdc/nodes', roles: ROLES },
  pool: { method: 'GET', path: '/dashboard/storagepools/{id}', roles: MONITOR },
  system_nodes: { method: 'GET', path: `${ZONE}/nodes`, roles: MONITOR },
  node: { method: 'GET', path: '/dashboard/nodes/{id}', roles: MONITOR },
  replication_group: { method: 'GET', path: '/dashboard/replicationgroups/{id}', roles: MONITOR },
  group_links: { method: 'GET', path: '/dashboard/replicationgroups/{id}/rglinks', roles: MONITOR },
  replication_link: { method: 'GET', path: '/dashboard/rglinks/{id}', roles: MONITOR },
  alerts: { method: 'GET', path: '/vdc/alerts', roles: ROLES },
  nodes: { method: 'GET', path: '/dashboard/storagepools/{id}/nodes', roles: MONITOR },
  query: { method: 'POST', path: '/flux/api/external/v2/query', roles: MONITOR, refusal: 'noPermission' },
  namespaces: { method: 'GET', path: '/object/namespaces', roles: MONITOR },
  quota: { method: 'GET', path: '/object/namespaces/namespace/{namespace}/quota', roles: MONITOR },
  usage: { method: 'POST', path: '/object/billing/namespace/info', roles: MONITOR },
  namespace_usage: { method: 'GET', path: '/object/billing/namespace/{namespace}/info', roles: MONITOR },
  buckets: { method: 'GET', path: '/object/bucket', roles: MONITOR },
  bucket_usage: { method: 'POST', path: '/object/billing/buckets/{namespace}/info', roles: MONITOR },
  one_bucket_usage: {
    method: 'GET',
    path: '/object/billing/buckets/{namespace}/{bucket}/info',
    roles: MONITOR,
  },
  bucket_quota: { method: 'GET', path: '/object/bucket/{bucket}/quota', roles: MONITOR },
  capacity: { method: 'GET', path: '/object/capacity', roles: MONITOR },
  pool_capacity: { method: 'GET', path: '/object/capacity/{id}', roles: MONITOR },
  providers: { method: 'GET', path: '/vdc/admin/authnproviders', roles: ROLES },
  provider: { method: 'GET', path: '/vdc/admin/authnproviders/{id}', roles: ROLES },
  // The profile has the roles.
  delete: { method: 'DELETE', path: '/vdc/admin/authnproviders/{id}', roles: ROLES },
} as const satisfies Record<string, OperationRow>
/** Of the catalogue, what has no route above: named by the kind of its objects. */
const OTHERS = kindsOf().flatMap(({ name, method, path: request, measurement, resource }) => {
  const [path = ''] = request.split('?')
  const isRouted = measurement !== undefined || Object.values(ROUTES).some((row) => row.path === path)
  const roles = 'dataPort' in RESOURCES[resource] ? 'public' : MONITOR
  const row: OperationRow = { method: method ?? 'GET', path, roles }
  return isRouted ? [] : [[name, row] as const]
})
const ALL = [...Object.entries<OperationRow>(ROUTES), ...OTHERS] as readonly [RoutedOperation, OperationRow][]
export type RoutedOperation = keyof typeof ROUTES | ObjectName
export type EmulatedOperation = RoutedOperation | 'history' | 'forecast' | 'other'

export const FEED_OPERATIONS: readonly EmulatedOperation[] = ['nodes', 'history', 'forecast']

export const OPERATION_HELP = {
  ...(Object.fromEntries(ALL.map(([name, { method, path }]) => [name, `${method} ${path}`])) as Record<
    RoutedOperation,
    string
  >),
  nodes: `GET ${ROUTES.nodes.path}, with current values`,
  history: 'as nodes, with dataType=historical only',
  forecast: 'as nodes, with category=capacityForecast',
  other: 'everything else',
} as const satisfies Record<EmulatedOperation, string>

const PATTERNS = ALL.map(([operation, row]) => ({
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

export function operationOf(method: string, path: string, query: string): EmulatedOperation {
  const operation = routesOf(path).find(({ row }) => row.method === method)?.operation ?? 'other'
  if (operation !== 'nodes') return operation
  if (/(^|&)category=capacityForecast(&|$)/.test(query)) return 'forecast'
  const types = [...query.matchAll(/(?:^|&)dataType=([^&]*)/g)].map(([, type]) => type)
  return types.length > 0 && types.every((type) => type === 'historical') ? 'history' : 'nodes'
}
