import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Passes requests on with more headers, as proxies in front of receivers with tenants do. The Prometheus of Debian 12 does
 * not send `headers` of `remote_write`.
 * @returns its URL, with the path of the target
 */
export async function startHeaderProxy(
  target: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((incoming, outgoing) => {
    const options = { method: 'POST', headers: { ...incoming.headers, ...headers } }
    const passed = request(target, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${new URL(target).pathname}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
