import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import type { Finding } from '../../../src/commands/doctor/check/check.ts'
import { examineSystem } from '../../../src/commands/doctor/doctor.ts'
import { parseConfig } from '../../../src/config/load.ts'
import type { EmulatorOptions } from '../../../src/emulator/options.ts'
import { startEmulator } from '../../api/client_setup.ts'
import { get } from '../../support/http.ts'

/** Configuration of a system; the default account has SYSTEM_MONITOR. */
export interface SystemKeys {
  readonly base_url: string | readonly string[]
  readonly auth?: Readonly<Record<string, string>>
  readonly tls_config?: Readonly<Record<string, unknown>>
  readonly pools?: readonly { readonly id: string }[]
}

/** The titles of the checks of a system, in their order. */
export const CHECKS = (
  'configuration names connection http clock login role pools feed health attributes query samples values ' +
  'forecasts resources'
).split(' ')
export const checksAfter = (title: string) => CHECKS.slice(CHECKS.indexOf(title) + 1)

export const MONITOR = { username: 'monitor', password: 'emulator' }

export interface Diagnosis {
  /** Findings of a check, by its title. */
  readonly of: (title: string) => readonly Finding[]
  readonly all: readonly Finding[]
  /** Titles of the checks with a finding of this status, each once. */
  readonly with: (status: Finding['status']) => readonly string[]
}

/** Examines one system in this process, without a pause between the two readings. */
export async function examine(
  keys: SystemKeys,
  rest: Readonly<Record<string, unknown>> = {},
  signal: AbortSignal = new AbortController().signal,
  certificateFile?: string,
): Promise<Diagnosis> {
  const text = JSON.stringify({
    systems: [{ name: 'frankfurt', auth: MONITOR, ...keys }],
    limits: { requests_per_second: 1000 },
    poll: { timeout: '30s' },
    ...rest,
  })
  const [system] = parseConfig(text, { file: 'sds-exporter.yml', environment: {} }).systems
  if (system === undefined) throw new Error('a system is wanted')
  const context = {
    system,
    configFile: 'sds-exporter.yml',
    certificateFile,
    readingPauseMs: 0,
    signal,
  }
  const { reports } = await examineSystem(context, () => undefined)
  return {
    of: (title) => reports.filter((report) => report.title === title).flatMap(({ findings }) => findings),
    all: reports.flatMap(({ findings }) => findings),
    with: (status) =>
      reports
        .filter(({ findings }) => findings.some((finding) => finding.status === status))
        .map(({ title }) => title),
  }
}

/** Examines an emulated system, of one pool with one node unless given. */
export async function examineEmulator(
  options: EmulatorOptions = {},
  keys: Omit<SystemKeys, 'base_url'> = {},
  ...rest: Parameters<typeof examine> extends [unknown, ...infer Rest] ? Rest : never
): Promise<Diagnosis> {
  await using emulator = await startEmulator({ pools: 1, nodes: 1, ...options })
  return await examine({ base_url: emulator.url, ...keys }, ...rest)
}

/** A finding with these texts, or with texts that match. */
export const finding = (
  status: Finding['status'],
  text?: string | RegExp,
  remedy?: string | RegExp,
  subject?: string,
) => {
  const matching = (one: string | RegExp) => (typeof one === 'string' ? one : expect.stringMatching(one))
  return {
    status,
    ...(subject !== undefined && { subject }),
    ...(text !== undefined && { text: matching(text) }),
    ...(remedy !== undefined && { remedy: matching(remedy) }),
  }
}

/** The URL of a server of ours that ends with its `await using` block. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string
}

/** A proxy for an emulator that changes queries, or responds itself; it refuses a request if `change` returns undefined. */
export async function startGate(
  target: string,
  change: (query: string, path: string) => string | { readonly body: string } | undefined,
): Promise<RunningServer> {
  const server = createServer(async (request, response) => {
    const [path = '', query] = (request.url ?? '').split('?')
    const asked = query === undefined ? '' : change(query, path)
    if (asked === undefined) {
      response.writeHead(400).end('{"code":1008,"description":"Parameter was provided but invalid"}')
      return
    }
    if (typeof asked === 'object') {
      response.end(asked.body)
      return
    }
    const passed = ['x-sds-auth-token', 'authorization', 'accept']
    const headers = Object.fromEntries(passed.map((name) => [name, String(request.headers[name] ?? '')]))
    const answer = await get(`${target}${path}${asked === '' ? '' : `?${asked}`}`, headers)
    const returned = ['x-sds-auth-token', 'location'].flatMap((name) => {
      const value = answer.headers[name]
      return value === undefined ? [] : [[name, value] as const]
    })
    response.writeHead(answer.status, Object.fromEntries(returned)).end(answer.body)
  })
  return runServer(server)
}

export async function runServer(server: Server): Promise<RunningServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
