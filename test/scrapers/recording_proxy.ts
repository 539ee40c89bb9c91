import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { get, type HttpResponse } from '../support/http.ts'

/** A request of a scraper, and what it was answered. */
export interface Scrape {
  readonly accept: string
  readonly acceptEncoding: string
  readonly answer: HttpResponse
  /** The body, decompressed. */
  readonly text: string
}

export interface RecordingProxy extends AsyncDisposable {
  /** HOST:PORT */
  readonly host: string
  readonly scrapes: readonly Scrape[]
  /** Answers all further requests as the last one, so that its values can be compared with those stored. */
  freeze(): Scrape
}

/** Passes requests with their headers on to the exporter. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const scrapes: Scrape[] = []
  let frozen: Scrape | undefined
  const server = createServer(async ({ url, headers }, outgoing) => {
    const scrape = frozen ?? (await scraped(`${target}${url}`, headers))
    scrapes.push(scrape)
    const { status, headers: answered, body } = scrape.answer
    const { connection: _connection, ...passed } = answered
    outgoing.writeHead(status, passed).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    scrapes,
    freeze() {
      frozen = scrapes.at(-1)
      if (frozen === undefined) throw new Error('nothing was scraped')
      return frozen
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function scraped(url: string, headers: IncomingHttpHeaders): Promise<Scrape> {
  const [accept = '', acceptEncoding = ''] = [headers.accept, headers['accept-encoding']?.toString()]
  const answer = await get(url, { accept, 'accept-encoding': acceptEncoding })
  const isGzip = answer.headers['content-encoding'] === 'gzip'
  return { accept, acceptEncoding, answer, text: String(isGzip ? gunzipSync(answer.body) : answer.body) }
}
