import { onTestFinished } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import { request } from '../support/http.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'

/** A Wednesday. The time is not a multiple of any interval. */
export const NOW = Date.parse('2026-03-11T12:34:56Z')
export const NOW_SECONDS = NOW / 1000
export const MONITOR = 'emulator-monitor'
export const ADMIN = 'emulator-admin'
export const SECURITY = 'emulator-security'

/** Starts an emulator on a free port; it stops when the test finishes. Its clock is fixed at {@link NOW} by default. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', clock: () => NOW, ...options })
  await emulator.start()
  onTestFinished(() => emulator.stop())
  return emulator
}

export type Response = Awaited<ReturnType<typeof call>>

/** Parsed JSON without a type: a wrong path fails the test. */
// biome-ignore lint/suspicious/noExplicitAny: the tests check the structure
export type Json = any

export interface CallOptions {
  readonly method?: string
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** One request on its own connection, by default as user monitor. Redirects are not followed. */
export async function call(
  emulator: { readonly url: string },
  path: string,
  { method = 'GET', token = MONITOR, headers = {}, body = '' }: CallOptions = {},
) {
  const auth = token === '' ? {} : { 'X-SDS-AUTH-TOKEN': token }
  const options = { headers: { ...auth, ...headers }, body }
  const response = await request(method, `${emulator.url}${path}`, options)
  return { ...response, json: (): Json => JSON.parse(response.text) }
}

/** The JSON of a response, whatever its status is. */
export async function jsonOf(emulator: { readonly url: string }, path: string): Promise<Json> {
  return (await call(emulator, path, { headers: { accept: 'application/json' } })).json()
}

/** The objects of a list of the dashboard API. */
export function objectsIn({ _embedded: { instances, _instances } }: Json): Json[] {
  return instances ?? _instances
}

export function feedPath(emulator: Emulator, query = '', pool = 0): string {
  return `/dashboard/storagepools/${emulator.pools[pool]?.id}/nodes${query === '' ? '' : `?${query}`}`
}

/** The node objects of a pool; fails the test on any other response. */
export async function nodesOf(emulator: Emulator, query = '', pool = 0): Promise<Json[]> {
  const response = await call(emulator, feedPath(emulator, query, pool))
  if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
  return objectsIn(response.json())
}

/** The value of a snapshot, the one member besides `t`, in any notation. Takes an object or an array of snapshots. */
export function valueIn(snapshot: Json): number {
  const single = Array.isArray(snapshot) ? snapshot.at(-1) : snapshot
  const [name] = Object.keys(single).filter((key) => key !== 't')
  return Number(single[name ?? ''])
}

export function current(node: Json, attribute: string): number {
  return valueIn(node[`${attribute}Current`])
}

/** Times and values of a series. */
export function seriesIn(node: Json, attribute: string): { t: number; value: number }[] {
  return node[attribute].map((snapshot: Json) => ({ t: Number(snapshot.t), value: valueIn(snapshot) }))
}

export function basic(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** Logs in; returns the token, or undefined after a refusal. */
export async function login(emulator: Emulator, user = 'monitor', password = 'emulator') {
  const response = await call(emulator, '/login', { token: '', headers: basic(user, password) })
  return response.headers['x-sds-auth-token'] as string | undefined
}
