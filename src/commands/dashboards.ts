import { isDeepStrictEqual } from 'node:util'
import { Command } from 'commander'
import { type Dashboard, dashboardText } from '../alerting/dashboards.ts'
import { dashboardsWith } from '../alerting/package_files.ts'
import { isObject } from '../api/parse/json.ts'
import { visibleText } from '../text.ts'
import { readTextFile } from '../values/files.ts'
import { Secret, tokenFromText } from '../values/secret.ts'
import { CommandError, EXIT } from './cli/exit.ts'
import { ALERTING_FLAGS, alertingFrom } from './cli/flags/alerting_flags.ts'
import { addFlags, type FlagsOf, type FlagTable, parseFilePath, parseRootUrl } from './cli/flags/table.ts'
import { writeFiles } from './cli/output/written_files.ts'
import { type JsonResponse, requestJson } from './cli/request_json.ts'

const TOKEN_VARIABLE = 'GRAFANA_TOKEN'

const FLAGS = {
  ...ALERTING_FLAGS,
  '--out <dir>': { description: 'write the JSON files to this folder', parse: parseFilePath },
  '--grafana.url <url>': 'upload to Grafana at this URL',
  '--grafana.token-file <file>': `file with a service account token (default: environment variable ${TOKEN_VARIABLE})`,
  '--grafana.folder <title>': {
    description: 'title of the folder in Grafana; created if it does not exist',
    default: 'Storage',
  },
  '--grafana.folder-uid <uid>': { description: 'uid of that folder', default: 'sds' },
  '--dry-run': 'show what would be done without doing it',
} as const satisfies FlagTable
type Flags = FlagsOf<typeof FLAGS>

export function dashboardsCommand(): Command {
  const command = new Command('dashboards').description(
    'write the Grafana dashboards to a folder, or upload them to Grafana',
  )
  return addFlags(command, FLAGS).action(runDashboards)
}

async function runDashboards(flags: Flags): Promise<void> {
  const { out, 'grafana.url': url } = flags
  if ((out === undefined) === (url === undefined)) {
    throw new CommandError('set either --out=DIR or --grafana.url=URL; see dashboards --help', EXIT.usage)
  }
  const dashboards = dashboardsWith(alertingFrom(flags))
  if (out === undefined) return await uploadDashboards(url ?? '', dashboards, flags)
  const files = dashboards.map((dashboard) => ({
    name: `${dashboard.uid}.json`,
    text: dashboardText(dashboard),
  }))
  writeFiles(out, files, flags.dryRun ?? false)
}

async function uploadDashboards(
  address: string,
  dashboards: readonly Dashboard[],
  flags: Flags,
): Promise<void> {
  const url = parseRootUrl('--grafana.url', address)
  const grafana = createGrafanaClient(url, readGrafanaToken(flags['grafana.tokenFile']))
  const folder = { uid: flags['grafana.folderUid'], title: flags['grafana.folder'] }
  const dryRun = flags.dryRun ?? false
  if (!dryRun) await grafana.ensureFolder(folder)
  for (const dashboard of dashboards) {
    const presence = await grafana.presence(dashboard, folder.uid)
    if (presence !== 'same' && !dryRun) await grafana.upload(dashboard, folder.uid)
    process.stdout.write(`${describe(presence, dryRun)} ${dashboard.uid} (${dashboard.title})\n`)
  }
}

function describe(presence: Presence, dryRun: boolean): string {
  if (presence === 'same') return 'unchanged'
  const verb = presence === 'missing' ? 'create' : 'update'
  return dryRun ? `would ${verb}` : `${verb}d`
}

type Presence = 'missing' | 'different' | 'same'

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
function createGrafanaClient(root: string, token: Secret) {
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

/** @throws {CommandError} without a token */
function readGrafanaToken(file: string | undefined): Secret {
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
