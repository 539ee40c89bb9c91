import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { QUERIES, type Query, queryText } from '../../../src/api/query/requests/queries.ts'
import { startClient } from '../client_setup.ts'
import { serveHttp } from '../http/raw_server.ts'
import { never } from '../http/responses.ts'
import { queryFile } from './query_files.ts'

const [CPU] = QUERIES as readonly [Query]
const DIALECT = { lastOnly: false, windowSeconds: 1320 }

/** A server that answers queries like this, and the requests that it got. */
async function serve(answer: (response: ServerResponse) => void) {
  const requests: { readonly message: IncomingMessage; readonly body: string }[] = []
  const server = await serveHttp(async (message, response) => {
    requests.push({ message, body: await text(message) })
    answer(response)
  })
  const setup = startClient(`{name: a, base_url: "${server.url}", auth: {token: t0ken}}`)
  return {
    requests,
    exchanges: setup.exchanges,
    query: () => setup.client.query(CPU, DIALECT, never()),
    async [Symbol.asyncDispose]() {
      await setup.client.close()
      await server.stop()
    },
  }
}

describe('a query', () => {
  test('is sent with POST and the token of the session', async () => {
    await using served = await serve((response) => response.end(queryFile('cpu.json')))
    expect((await served.query()).series.size).toBe(6)
    const [first] = served.requests
    expect(first?.message).toMatchObject({ method: 'POST', url: '/flux/api/external/v2/query' })
    expect(first?.message.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      'x-sds-auth-token': 't0ken',
    })
    expect(JSON.parse(first?.body ?? '')).toEqual({ query: queryText(CPU, DIALECT) })
    expect(served.exchanges).toEqual(['query 200'])
  })

  test.each([
    [500, '{"error":"failed to compile query: x"}', 'client_error'],
    [503, '{"code":6503,"description":"x","retryable":true}', 'not_found'],
    [404, '', 'not_found'],
  ])('that is answered with %d %s is not repeated', async (status, body, reason) => {
    await using served = await serve((response) => response.writeHead(status).end(body))
    await expect(served.query()).rejects.toMatchObject({ reason, place: { operation: 'query' } })
    expect(served.requests).toHaveLength(1)
  })

  test('that the service cannot answer at the moment is repeated', async () => {
    let count = 0
    await using served = await serve((response) => {
      count += 1
      response.writeHead(count === 1 ? 502 : 200).end(queryFile('empty.json'))
    })
    expect((await served.query()).series.size).toBe(0)
    expect(served.exchanges).toEqual(['query 502', 'query 200'])
  })
})
