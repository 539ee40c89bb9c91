import { isDeepStrictEqual } from 'node:util'
import type { Secret } from '../../config/values/secret.ts'
import { Failed } from '../cli/exit.ts'
import { responseText } from '../cli/response_text.ts'
import type { DashboardFile } from './files.ts'

/** Whether Grafana has a dashboard, and with the same content. */
export type Presence = 'missing' | 'different' | 'same'

/** The part of Grafana's HTTP API (version 9.4 and later) for uploading dashboards. Methods throw {@link Failed}. */
export interface GrafanaClient {
  /** Creates the folder if it does not exist. */
  ensureFolder(folder: { readonly uid: string; readonly title: string }): Promise<void>
  presence(file: DashboardFile, folderUid: string): Promise<Presence>
  upload(file: DashboardFile, folderUid: string): Promise<void>
}

const TIMEOUT_MS = 30_000
const MAX_MESSAGE_CHARACTERS = 200
/** Dashboards are smaller than 1 MB. */
const MAX_RESPONSE_BYTES = 16_000_000

/** Grafana 12 answers 412, older versions 409. */
const FOLDER_EXISTS = [409, 412]

const REMEDIES: Readonly<Record<number, string>> = {
  401: 'check that the token is correct and not expired',
  403: 'the token needs the permissions folders:create, dashboards:create and dashboards:write (role Editor)',
  412: 'another dashboard has the same title or uid: rename or remove it in Grafana',
}

type GrafanaRequest = readonly [method: string, path: string, body?: unknown]

interface GrafanaResponse {
  readonly status: number
  readonly body: unknown
}

/** @param url root URL of Grafana, with a path if it is served below one */
export function createGrafanaClient(url: URL, token: Secret): GrafanaClient {
  const root = url.href.replace(/\/+$/, '')

  async function ask(...[method, path, body]: GrafanaRequest): Promise<GrafanaResponse> {
    const headers = { Authorization: `Bearer ${token.reveal()}`, Accept: 'application/json' }
    try {
      const response = await fetch(`${root}${path}`, {
        method,
        headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
        // A redirect would send the token to another server.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return { status: response.status, body: parsed(await responseText(response, MAX_RESPONSE_BYTES)) }
    } catch (failure) {
      throw new Failed(`Grafana at ${root} did not respond to ${method} ${path}: ${reasonOf(failure)}`)
    }
  }

  /** The body of a 2xx response; undefined for a status in `expected`. */
  async function expectAnswer(expected: readonly number[], ...request: GrafanaRequest): Promise<unknown> {
    const answer = await ask(...request)
    if (expected.includes(answer.status)) return undefined
    if (answer.status >= 200 && answer.status < 300) return answer.body
    throw refusal(request, answer)
  }

  return {
    async ensureFolder({ uid, title }) {
      // Grafana answers 403 to an Editor that asks for a missing folder, so it is created without asking.
      await expectAnswer(FOLDER_EXISTS, 'POST', '/api/folders', { uid, title })
    },
    async presence({ dashboard }, folderUid) {
      const found = await expectAnswer(
        [404],
        'GET',
        `/api/dashboards/uid/${encodeURIComponent(dashboard.uid)}`,
      )
      if (found === undefined) return 'missing'
      const { dashboard: theirs, meta } = found as { dashboard?: object; meta?: { folderUid?: string } }
      // Grafana adds id and version.
      const { id: _id, version: _version, ...content } = (theirs ?? {}) as Record<string, unknown>
      return meta?.folderUid === folderUid && isDeepStrictEqual(content, dashboard) ? 'same' : 'different'
    },
    async upload({ dashboard }, folderUid) {
      await expectAnswer([], 'POST', '/api/dashboards/db', {
        dashboard: { ...dashboard, id: null },
        folderUid,
        overwrite: true,
        message: 'Uploaded by sds-exporter',
      })
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusal([method, path]: GrafanaRequest, { status, body }: GrafanaResponse): Failed {
  const message = messageOf(body)
  const remedy = REMEDIES[status]
  return new Failed(
    `Grafana refused ${method} ${path} (HTTP ${status})${message && `: ${message}`}${remedy === undefined ? '' : `; ${remedy}`}`,
  )
}

function messageOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('message' in body)) return ''
  return String(body.message).slice(0, MAX_MESSAGE_CHARACTERS)
}

function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'unknown error'
  if (failure.name === 'TimeoutError') return `no response within ${TIMEOUT_MS / 1000} s`
  return failure.cause instanceof Error ? failure.cause.message : failure.message
}
