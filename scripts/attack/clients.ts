import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as tlsConnect } from 'node:tls'

/** Source address of an attack from one machine. The prober uses 127.0.0.1. */
export const ATTACKER = '127.0.0.66'

/** Other loopback addresses by index. */
export function attackerAddress(index: number): string {
  return `127.7.${Math.floor(index / 250) % 250}.${(index % 250) + 1}`
}

/** A request with a valid Host header. */
export function requestText(url: string, method: string, path: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`
}

/** Opens a connection. Its errors are ignored, because the exporter may close it at any time. */
export function open(url: string, from: string = ATTACKER): Socket {
  const { hostname, port, protocol } = new URL(url)
  const options = { host: hostname, port: Number(port), localAddress: from }
  const socket =
    protocol === 'https:' ? tlsConnect({ ...options, rejectUnauthorized: false }) : connect(options)
  return socket.on('error', () => undefined)
}

/** Pause before a closed connection is opened again. */
const REOPEN_MS = 100

/**
 * Keeps `count` connections open until the signal. Each is opened again after it was closed.
 * @param begin called with each new connection
 */
export async function keepOpen(
  count: number,
  signal: AbortSignal,
  begin: (index: number) => Socket,
): Promise<void> {
  const keep = async (index: number) => {
    while (!signal.aborted) {
      const socket = begin(index)
      const close = () => socket.destroy()
      signal.addEventListener('abort', close)
      await new Promise((resolve) => socket.once('close', resolve))
      signal.removeEventListener('abort', close)
      await sleep(REOPEN_MS)
    }
  }
  await Promise.all(Array.from({ length: count }, (_, index) => keep(index)))
}

/** A closed port would otherwise be requested without a pause. */
const FAILED_PAUSE_MS = 10

/** Repeats a task in `count` parallel loops until the signal. Errors are expected and ignored. Returns the number of runs. */
export async function flood(
  count: number,
  signal: AbortSignal,
  task: (run: number) => Promise<unknown>,
): Promise<number> {
  let runs = 0
  const loop = async () => {
    while (!signal.aborted) {
      runs += 1
      await task(runs).catch(() => pause(FAILED_PAUSE_MS))
    }
  }
  await Promise.all(Array.from({ length: count }, loop))
  return runs
}

/** Resolves after the time or at the signal. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal && { signal }).catch(() => undefined)
}

interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Source address, one of 127.0.0.0/8. */
  readonly from?: string
  readonly timeoutMs: number
}

/**
 * Sends a request on a connection of its own and reads the whole response. Certificates are not verified: the listener
 * has a self-signed one.
 * @returns the status @throws after timeoutMs or if the connection breaks
 */
export async function request(
  url: string,
  { method = 'GET', headers, from, timeoutMs }: RequestOptions,
): Promise<number> {
  const options = {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    headers: headers ?? {},
    ...(from !== undefined && { localAddress: from }),
  }
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = url.startsWith('https:')
      ? httpsRequest(url, { ...options, agent: new Agent({ rejectUnauthorized: false }) }, resolve)
      : httpRequest(url, { ...options, agent: false }, resolve)
    outgoing.once('error', reject)
    outgoing.end()
  })
  await message.resume().toArray()
  return message.statusCode ?? 0
}
