import { isDeepStrictEqual } from 'node:util'
import type { Dashboard } from '../../alerting/dashboards.ts'
import { isObject } from '../../api/parse/json.ts'
import { visibleText } from '../../text.ts'
import { readTextFile } from '../../values/files.ts'
import { Secret, tokenFromText } from '../../values/secret.ts'
import { CommandError } from '../cli/exit.ts'
import type { FlagTable } from '../cli/flags/table.ts'
import { type JsonResponse, requestJson } from '../cli/request_json.ts'

export type Presence = 'missing' | 'different' | 'same'

const TIMEOUT_MS = 30_000
const MAX_MESSAGE_CHARACTERS = 200

/** Grafana 12 answers 412, older versions 409. */
const FOLDER_EXISTS = [409, 412]

const CHECK_URL = 'check that --grafana.url is the root URL of Grafana'
const REMEDIES: Readonly<Record<number, string>> = {
  401: 'check that the token is correct and not expired',
  403: 'the token needs the permissions folders:create, dashboards:create and dashboards:write (role Editor)',
  404: CHECK_URL,
  412: 'another dashboard has the same title or uid: rename or remove it in Grafana',
}

type GrafanaRequest = readonly [method: 'GET' | 'POST', path: string, body?: unknown]

/**
 * The part of Grafana's HTTP API (version 9.4 and later) for uploading dashboards. Methods throw {@link CommandError}.
 * @param root URL of Grafana without a slash at its end, with a path if it is served below one
 */
export function createGrafanaClient(root: string, token: Secret) {
  /** The object of a 2xx response; undefined for a status in `expected`. */
  async function expectStatus(
    expected: readonly number[],
    ...[method, path, body]: GrafanaRequest
  ): Promise<object | undefined> {
    const headers = { Authorization: `Bearer ${token.reveal()}`, Accept: 'application/json' }
    const answer = await requestJson(`${root}${path}`, {
      method,
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      noResponse: (reason) =>
        new CommandError(`Grafana at ${root} did not respond to ${method} ${path}: ${reason}`),
    })
    if (expected.includes(answer.status)) return undefined
    if (answer.status < 200 || answer.status >= 300) throw refusal([method, path], answer)
    if (typeof answer.body === 'object' && answer.body !== null) return answer.body
    throw new CommandError(
      `${root} is not the API of Grafana (HTTP ${answer.status} without JSON): ${CHECK_URL}`,
    )
  }

  return {
    async ensureFolder({ uid, title }: { readonly uid: string; readonly title: string }): Promise<void> {
      // Grafana answers 403 to an Editor that asks for a missing folder, so it is created without asking.
      await expectStatus(FOLDER_EXISTS, 'POST', '/api/folders', { uid, title })
    },
    async presence(dashboard: Dashboard, folderUid: string): Promise<Presence> {
      const path = `/api/dashboards/uid/${encodeURIComponent(dashboard.uid)}`
      const found = await expectStatus([404], 'GET', path)
      if (found === undefined) return 'missing'
      const { dashboard: theirs, meta } = found as { dashboard?: object; meta?: { folderUid?: string } }
      // Grafana adds id and version.
      const { id: _id, version: _version, ...content } = (theirs ?? {}) as Record<string, unknown>
      return meta?.folderUid === folderUid && isDeepStrictEqual(content, dashboard) ? 'same' : 'different'
    },
    async upload(dashboard: Dashboard, folderUid: string): Promise<void> {
      await expectStatus([], 'POST', '/api/dashboards/db', {
        dashboard: { ...dashboard, id: null },
        folderUid,
        overwrite: true,
        message: 'Uploaded by sds-exporter',
      })
    },
  }
}

const TOKEN_VARIABLE = 'GRAFANA_TOKEN'

export const GRAFANA_TOKEN_FLAG = {
  '--grafana.token-file <file>': `file with a service account token (default: environment variable ${TOKEN_VARIABLE})`,
} as const satisfies FlagTable

/** @throws {CommandError} without a token */
export function readGrafanaToken(file: string | undefined): Secret {
  const source = file === undefined ? `the environment variable ${TOKEN_VARIABLE}` : `the file ${file}`
  const read = file === undefined ? { text: process.env[TOKEN_VARIABLE] ?? '' } : readTextFile(file, 'secret')
  if ('problem' in read) throw new CommandError(`${source} ${read.problem}`)
  const token = tokenFromText(read.text)
  if (token instanceof Secret) return token
  throw new CommandError(`${source} ${token}: Grafana needs a service account token`)
}

function refusal([method, path]: GrafanaRequest, { status, body }: JsonResponse): CommandError {
  const message = isObject(body) ? String(body['message'] ?? '') : ''
  const text = visibleText(message.slice(0, MAX_MESSAGE_CHARACTERS))
  const remedy = status < 400 ? CHECK_URL : REMEDIES[status]
  const parts = [text && `: ${text}`, remedy && `; ${remedy}`].filter((part) => part !== undefined)
  return new CommandError(`Grafana refused ${method} ${path} (HTTP ${status})${parts.join('')}`)
}
