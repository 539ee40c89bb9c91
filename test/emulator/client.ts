import { request } from 'node:http'
import { connect } from 'node:net'
import { onTestFinished } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
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

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly bytes: Buffer
  readonly text: string
  readonly json: () => Json
}

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
export function call(
  emulator: { readonly url: string },
  path: string,
  { method = 'GET', token = MONITOR, headers = {}, body = '' }: CallOptions = {},
): Promise<Response> {
  const { hostname, port } = new URL(emulator.url)
  const auth = token === '' ? {} : { 'X-SDS-AUTH-TOKEN': token }
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path, method, headers: { ...auth, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString()
          const { statusCode = 0, headers: received } = response
          resolve({ status: statusCode, headers: received, bytes, text, json: () => JSON.parse(text) })
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

export interface RawResponse {
  /** The bytes received so far. */
  readonly bytes: () => Buffer
  /** Whether the emulator has closed the connection. */
  readonly hasEnded: () => boolean
  readonly ended: Promise<void>
}

/** Sends one request on its own connection and receives the raw bytes. The connection is closed when the test finishes. */
export function callRaw(emulator: Emulator, path: string): RawResponse {
  const { hostname, port } = new URL(emulator.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const chunks: Buffer[] = []
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    socket.on('close', () => {
      hasEnded = true
      resolve()
    })
  })
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => undefined)
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: emulator\r\nX-SDS-AUTH-TOKEN: ${MONITOR}\r\nConnection: close\r\n\r\n`,
  )
  return { bytes: () => Buffer.concat(chunks), hasEnded: () => hasEnded, ended }
}

/** Receives chunks of a body until `enough` returns true; then closes the connection. */
export function firstChunks(
  emulator: Emulator,
  path: string,
  enough: (bytes: number, chunks: number) => boolean,
) {
  const { hostname, port } = new URL(emulator.url)
  return new Promise<Buffer[]>((resolve, reject) => {
    const headers = { 'X-SDS-AUTH-TOKEN': MONITOR }
    const sent = request({ hostname, port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (!enough(bytes, chunks.length)) return
        resolve(chunks)
        sent.destroy()
      })
      response.on('end', () => reject(new Error('the body ended')))
    })
    sent.on('error', () => undefined)
    sent.end()
  })
}

export function feedPath(emulator: Emulator, query = '', pool = 0): string {
  return `/dashboard/storagepools/${emulator.pools[pool]?.id}/nodes${query === '' ? '' : `?${query}`}`
}

/** The node objects of a pool; fails the test on any other response. */
export async function nodesOf(emulator: Emulator, query = '', pool = 0): Promise<Json[]> {
  const response = await call(emulator, feedPath(emulator, query, pool))
  if (response.status !== 200) throw new Error(`${response.status} ${response.text}`)
  const embedded = response.json()._embedded
  return embedded.instances ?? embedded._instances
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
