import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SystemStub extends AsyncDisposable {
  readonly url: string
}

/** A storage system with one provider, whose name and id are arbitrary text. It accepts every token and request. */
export async function startSystemStub(provider: { id: string; name: string }): Promise<SystemStub> {
  const server = createServer((request, response) => {
    const isList = request.url === '/vdc/admin/authnproviders'
    response.writeHead(200, { 'Content-Type': 'application/json', Connection: 'close' })
    response.end(JSON.stringify(isList ? { authnprovider: [provider] } : {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
