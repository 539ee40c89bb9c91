/** What a listener serves at a path. */
export interface PathRow {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly content: 'metrics' | 'page' | 'json' | 'text' | 'API format'
  /** What is answered, for the documentation. */
  readonly description: string
  /** The responses in flight with which it shares a limit. */
  readonly limit?: 'scrapes' | 'pages'
  /** Served without authentication and under every host name. */
  readonly isOpen?: true
  /** Whether the request has the token of the caller for the storage system. */
  readonly hasToken?: true
  readonly link?: string
  /** The page in docs/ with its details. */
  readonly documentation: string
}

export function methodsOf({ method }: PathRow): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method]
}

type PathTable = Readonly<Record<string, PathRow>>

/** For containers and supervisors. */
const HEALTH = {
  '/-/healthy': {
    method: 'GET',
    content: 'text',
    isOpen: true,
    description: '200 while the exporter runs',
    documentation: 'commands.md#health',
  },
  '/-/ready': {
    method: 'GET',
    content: 'text',
    isOpen: true,
    link: 'Readiness',
    description: '200 once every system has been polled, successfully or not; 503 before',
    documentation: 'operations.md#upgrades',
  },
} as const satisfies PathTable

export const OPEN_PATHS = ['/-/healthy', '/-/ready'] as const satisfies readonly (keyof typeof HEALTH)[]

/** What the listener for metrics serves, each path with the handler of this name in `metrics_app.ts`. */
export const METRICS_PATHS = {
  '/metrics': {
    method: 'GET',
    content: 'metrics',
    limit: 'scrapes',
    link: 'Metrics',
    description: 'metrics of all systems and of the exporter; with `collect[]=NAME`, of these names only',
    documentation: 'metrics.md',
  },
  '/probe': {
    method: 'GET',
    content: 'metrics',
    limit: 'scrapes',
    description: 'metrics of one system, which is polled for the request',
    documentation: 'probes.md#probe',
  },
  '/history': {
    method: 'GET',
    content: 'metrics',
    limit: 'scrapes',
    description: 'the last samples of one system, with the times of the system',
    documentation: 'history.md#history-endpoint',
  },
  '/sd': {
    method: 'GET',
    content: 'json',
    limit: 'scrapes',
    link: 'Service discovery',
    description: 'the systems as targets for `http_sd_configs`',
    documentation: 'probes.md#sd',
  },
  '/': {
    method: 'GET',
    content: 'page',
    limit: 'pages',
    description: 'status page',
    documentation: 'status.md',
  },
  '/api/v1/status': {
    method: 'GET',
    content: 'json',
    limit: 'pages',
    description: 'the status as JSON',
    documentation: 'status.md',
  },
  '/runbooks': {
    method: 'GET',
    content: 'page',
    link: 'Runbooks',
    description: 'runbooks of the alerts',
    documentation: 'alerts.md',
  },
  ...HEALTH,
  '/-/reload': {
    method: 'POST',
    content: 'text',
    description: 'loads the configuration again, with `--web.enable-lifecycle`',
    documentation: 'configuration.md#reload',
  },
} as const satisfies PathTable

export const DEFAULT_METRICS_PATH = '/metrics'
export const RUNBOOKS_PATH = '/runbooks'

/** Whether something else than the metrics is served at a path, or below its first segment. */
export function isTaken(path: string): boolean {
  const segmentOf = (text: string) => text.split('/')[1]
  const others = Object.keys(METRICS_PATHS).filter((other) => other !== '/' && other !== DEFAULT_METRICS_PATH)
  return others.some((other) => segmentOf(other) === segmentOf(path))
}

const ADMIN = 'administration.md'

const LIST = {
  method: 'GET',
  content: 'API format',
  hasToken: true,
  description: 'authentication providers of the system',
  documentation: ADMIN,
} as const satisfies PathRow
/** The id includes the suffix `.json`; the handler removes it. */
const DELETION = {
  ...LIST,
  method: 'DELETE',
  description: 'deletes a provider',
} as const satisfies PathRow

/** What the listener for administration serves. With one system, the prefix `/systems/:system` may be left out. */
export const ADMIN_PATHS = {
  '/': { method: 'GET', content: 'page', description: 'page of the providers', documentation: ADMIN },
  '/systems': { method: 'GET', content: 'json', description: 'names of the systems', documentation: ADMIN },
  '/systems/:system/login': {
    method: 'POST',
    content: 'json',
    description: 'logs in at the system and returns the token, which is not kept',
    documentation: ADMIN,
  },
  '/systems/:system/logout': {
    method: 'POST',
    content: 'json',
    hasToken: true,
    description: 'logs out the token',
    documentation: ADMIN,
  },
  '/systems/:system/account': {
    method: 'GET',
    content: 'json',
    hasToken: true,
    description: 'user and roles of the token',
    documentation: ADMIN,
  },
  '/systems/:system/vdc/admin/authnproviders': LIST,
  '/systems/:system/vdc/admin/authnproviders.json': LIST,
  '/systems/:system/vdc/admin/authnproviders/:id': DELETION,
  '/vdc/admin/authnproviders': LIST,
  '/vdc/admin/authnproviders.json': LIST,
  '/vdc/admin/authnproviders/:id': DELETION,
  ...HEALTH,
} as const satisfies PathTable

/** What a table has for a path, which is compared as it was sent, and the values of its parameters. */
export function findPath<Path>(table: Readonly<Record<string, Path>>, sent: string) {
  for (const [name, path] of Object.entries(table)) {
    const parameters = parametersOf(name, sent)
    if (parameters !== undefined) return { path, parameters }
  }
  return undefined
}

function parametersOf(name: string, path: string): Readonly<Record<string, string>> | undefined {
  if (!name.includes(':')) return name === path ? {} : undefined
  const [own, sent] = [name.split('/'), path.split('/')]
  const isEqual = (segment: string, index: number) =>
    segment.startsWith(':') ? sent[index] !== '' : sent[index] === segment
  if (own.length !== sent.length || !own.every(isEqual)) return undefined
  return Object.fromEntries(
    own.flatMap((segment, index) => (segment.startsWith(':') ? [[segment.slice(1), sent[index] ?? '']] : [])),
  )
}
