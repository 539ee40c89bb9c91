import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type Log, silentLog } from '../../../src/log.ts'
import { createListener, type ListenerOptions } from '../../../src/server/listener/listener.ts'

export interface StartedListener extends AsyncDisposable {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

/** Responds with the path of the request. */
export const echoPath: RequestListener = (request, response) => {
  response.end(`handled ${request.url}`)
}

/** A listener on a free port of this machine that stops with its `await using` block. */
export async function startListener(options: Partial<ListenerOptions> = {}): Promise<StartedListener> {
  const listener = createListener({
    address: '127.0.0.1:0',
    handler: echoPath,
    log: silentLog,
    ...options,
  })
  await listener.start()
  return {
    url: listener.url,
    port: Number(new URL(listener.url).port),
    stop: listener.stop,
    [Symbol.asyncDispose]: listener.stop,
  }
}

/** Sends raw bytes; resolves to all received data when the server has closed the connection. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const socket = await openSocket(port)
  socket.write(text)
  return readAll(socket)
}

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
  })
}

export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    // A reset ends the connection too; earlier data is kept.
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(text))
  })
}

export interface RecordedLog extends Log {
  /** `warn message {"field":1}`, one line per event. */
  readonly lines: readonly string[]
}

export function recordLog(): RecordedLog {
  const lines: string[] = []
  const record =
    (level: string): Log['info'] =>
    (message, fields = {}) =>
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  return { lines, debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }
}
