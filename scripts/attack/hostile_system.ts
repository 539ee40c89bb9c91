import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

export type Responder = (request: IncomingMessage, response: ServerResponse) => void

/** Responders of the system by operation. */
export interface Responders {
  readonly pools: Responder
  readonly nodes: Responder
  readonly query: Responder
  readonly providers: Responder
  readonly deletion: Responder
}

/** A storage system that accepts logins and answers everything else as an attack defines. It runs in this process. */
export interface HostileSystem {
  readonly url: string
  /** Replaces answers; the others stay. */
  use(answers: Partial<Responders>): void
  stop(): Promise<void>
}

/** Size of an uncompressed body that the exporter reads completely: just below the default of `max_response_bytes`. */
export const BODY_BYTES = Math.floor(0.95 * 16 * 1024 ** 2)

const POOLS = 8
/** Requests by path; anything else is a login or logout. */
const ROUTES: readonly (readonly [method: string, path: RegExp, name: keyof Responders])[] = [
  ['GET', /^\/dashboard\/zones\/localzone\/storagepools/, 'pools'],
  ['GET', /^\/dashboard\/storagepools\/[^/]+\/nodes/, 'nodes'],
  ['POST', /^\/flux\/api\/external\/v2\/query/, 'query'],
  ['GET', /^\/vdc\/admin\/authnproviders/, 'providers'],
  ['DELETE', /^\/vdc\/admin\/authnproviders\//, 'deletion'],
]

/** Starts a system that behaves well until {@link HostileSystem.use}. */
export async function startHostileSystem(): Promise<HostileSystem> {
  let answers: Responders = {
    pools: jsonResponse(poolList(POOLS, 'pool')),
    nodes: jsonResponse('{"_embedded":{"instances":[{"id":"n1","displayName":"n1","healthStatus":"Good"}]}}'),
    query: jsonResponse('{"Series":[]}'),
    providers: jsonResponse('{"authnprovider":[]}'),
    deletion: (_request, response) => void response.end(),
  }
  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    const route = ROUTES.find(([method, path]) => request.method === method && path.test(request.url ?? ''))
    if (route !== undefined) return answers[route[2]](request, response)
    response.writeHead(200, { 'X-SDS-AUTH-TOKEN': 'hostile' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(changed) {
      answers = { ...answers, ...changed }
    },
    stop: () => stop(server),
  }
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/** A list of pools with the ids `NAME-0`, `NAME-1` and so on. */
export function poolList(count: number, name: string): string {
  const instances = Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}`, name }))
  return JSON.stringify({ _embedded: { instances } })
}

export function jsonResponse(text: string): Responder {
  return (_request, response) =>
    void response.writeHead(200, { 'Content-Type': 'application/json' }).end(text)
}

/** An answer of any size in a few bytes on the wire. The text is compressed once. */
export function gzipResponse(text: string, contentType = 'application/json'): Responder {
  const body = gzipSync(text, { level: 1 })
  const headers = { 'Content-Type': contentType, 'Content-Encoding': 'gzip', 'Content-Length': body.length }
  return (_request, response) => void response.writeHead(200, headers).end(body)
}
