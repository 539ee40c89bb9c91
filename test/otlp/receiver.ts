import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { decodeRequest, type ReceivedRequest } from './decode.ts'

export interface Received extends ReceivedRequest {
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  /** The requests that were received as a whole, in their order. */
  readonly requests: readonly Received[]
  /** Responds to the next requests. */
  respond: (response: ServerResponse, received: Received) => void
}

export const accept = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
}

/** An OTLP receiver on loopback that decodes what it receives. */
export async function startReceiver(tls?: {
  readonly cert: string
  readonly key: string
}): Promise<Receiver> {
  const requests: Received[] = []
  const listener: RequestListener = async (incoming, response) => {
    const body = await buffer(incoming)
    const { headers, url = '' } = incoming
    const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
    const received = { ...decodeRequest(text), url, headers }
    requests.push(received)
    receiver.respond(response, received)
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    respond: accept,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
  return receiver
}
