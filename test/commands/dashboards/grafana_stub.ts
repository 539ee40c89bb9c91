import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

interface StoredDashboard {
  readonly dashboard: Readonly<Record<string, unknown>>
  readonly folderUid: string
}

/**
 * A stub of the used part of the HTTP API of Grafana 12, as a service account of role Editor sees it. It rejects requests
 * that do not match the documentation.
 */
export interface GrafanaStandIn extends AsyncDisposable {
  readonly url: string
  readonly folders: Map<string, string>
  readonly dashboards: Map<string, StoredDashboard>
  /** `METHOD path` of every request. */
  readonly requests: string[]
  /** Makes every further request fail with this status. */
  refuseWith(status: number): void
}

export const GRAFANA_TOKEN = 'glsa_canary_0123456789'

type Reply = { readonly status: number; readonly body: unknown }

/** An Editor may not know whether a folder exists; an Admin gets 404. */
const FORBIDDEN_FOLDER: Reply = {
  status: 403,
  body: {
    title: 'Access denied',
    message: "You'll need additional permissions to perform this action. Permissions needed: folders:read",
    accessErrorId: 'ACE0000000000',
  },
}
/** Answers to the creation of a folder that exists, by the version of Grafana. */
const FOLDER_EXISTS = {
  current: {
    status: 412,
    body: { status: 'version-mismatch', message: 'the folder has been changed by someone else' },
  },
  old: { status: 409, body: { message: 'a folder with the same name already exists' } },
} as const satisfies Record<string, Reply>

export async function startGrafana(version: keyof typeof FOLDER_EXISTS = 'current'): Promise<GrafanaStandIn> {
  const folders = new Map<string, string>()
  const dashboards = new Map<string, StoredDashboard>()
  const requests: string[] = []
  let refusal: number | undefined
  let nextId = 1

  function getFolder(uid: string): Reply {
    const title = folders.get(uid)
    return title === undefined ? FORBIDDEN_FOLDER : { status: 200, body: { uid, title } }
  }

  function postFolder({ uid, title }: { uid?: unknown; title?: unknown }): Reply {
    if (typeof title !== 'string' || title === '')
      return { status: 400, body: { message: 'folder title cannot be empty' } }
    if (typeof uid !== 'string' || !/^[a-zA-Z0-9_-]{1,40}$/.test(uid))
      return { status: 400, body: { message: 'uid contains illegal characters' } }
    if (folders.has(uid)) return FOLDER_EXISTS[version]
    folders.set(uid, title)
    return { status: 200, body: { uid, title } }
  }

  function getDashboard(uid: string): Reply {
    const stored = dashboards.get(uid)
    if (stored === undefined) return { status: 404, body: { message: 'Dashboard not found' } }
    return { status: 200, body: { meta: { folderUid: stored.folderUid }, dashboard: stored.dashboard } }
  }

  function postDashboard(body: {
    dashboard?: Record<string, unknown>
    folderUid?: unknown
    overwrite?: unknown
  }): Reply {
    const { dashboard, folderUid, overwrite } = body
    if (dashboard === undefined || typeof dashboard['title'] !== 'string')
      return { status: 400, body: { message: 'Dashboard title cannot be empty' } }
    if (dashboard['id'] !== null) return { status: 404, body: { message: 'Dashboard not found' } }
    if (typeof folderUid !== 'string' || !folders.has(folderUid))
      return { status: 400, body: { message: 'folder not found' } }
    const uid = String(dashboard['uid'])
    const before = dashboards.get(uid)
    if (before !== undefined && overwrite !== true)
      return { status: 412, body: { status: 'version-mismatch', message: 'changed by someone else' } }
    const version = before === undefined ? 1 : Number(before.dashboard['version']) + 1
    dashboards.set(uid, { folderUid, dashboard: { ...dashboard, id: nextId, version } })
    nextId += 1
    return { status: 200, body: { status: 'success', uid, version } }
  }

  async function route(request: IncomingMessage): Promise<Reply> {
    const { method = '', url = '' } = request
    requests.push(`${method} ${url}`)
    if (refusal !== undefined) return { status: refusal, body: { message: 'refused' } }
    if (request.headers.authorization !== `Bearer ${GRAFANA_TOKEN}`) {
      return { status: 401, body: { message: 'Invalid API key' } }
    }
    if (method === 'GET') return routeGet(url)
    if (method !== 'POST' || request.headers['content-type'] !== 'application/json') {
      return { status: 415, body: {} }
    }
    const body = (await json(request)) as Record<string, never>
    if (url === '/api/folders') return postFolder(body)
    return url === '/api/dashboards/db' ? postDashboard(body) : { status: 404, body: {} }
  }

  function routeGet(url: string): Reply {
    const uid = decodeURIComponent(url.split('/').at(-1) ?? '')
    if (/^\/api\/folders\/[^/]+$/.test(url)) return getFolder(uid)
    return /^\/api\/dashboards\/uid\/[^/]+$/.test(url) ? getDashboard(uid) : { status: 404, body: {} }
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { status, body } = await route(request)
    const headers = { 'Content-Type': 'application/json', ...(status === 302 && { Location: '/login' }) }
    response.writeHead(status, headers).end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folders,
    dashboards,
    requests,
    refuseWith: (status) => {
      refusal = status
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
