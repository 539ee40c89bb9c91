import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { waitForAssertion } from '../../support/wait.ts'
import { openSocket, readAll, startListener } from './listener_setup.ts'

const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'
/** Longer than the time limit of a test. */
const NEVER_MS = 600_000

/** A listener whose responses stay open until the test ends them. */
async function startHolding(limits = { stopGraceMs: NEVER_MS }) {
  const responses: ServerResponse[] = []
  const listener = await startListener({
    limits: {
      ...limits,
      headersTimeoutMs: NEVER_MS,
      requestTimeoutMs: NEVER_MS,
      keepAliveTimeoutMs: NEVER_MS,
    },
    handler: (_request, response) => responses.push(response.writeHead(200, { 'Content-Length': 4 })),
  })
  const next = () => waitForAssertion(() => expect(responses).not.toEqual([])).then(() => responses.pop())
  return { listener, next }
}

describe('stopping a listener', () => {
  test('does not wait for idle connections', async () => {
    const { listener, next } = await startHolding()
    const silent = await openSocket(listener.port)
    const halfway = await openSocket(listener.port)
    halfway.write('GET / HTTP/1.1\r\nHost: a\r\n')
    const resting = await openSocket(listener.port)
    resting.write(REQUEST)
    ;(await next())?.end('done')
    await once(resting, 'data')
    await listener.stop()
    await Promise.all([silent, halfway, resting].map((socket) => readAll(socket)))
  })

  test('lets a running response finish and then closes its connection', async () => {
    const { listener, next } = await startHolding()
    const socket = await openSocket(listener.port)
    const answer = readAll(socket)
    socket.write(REQUEST)
    const response = await next()
    response?.write('do')
    const stopping = listener.stop()
    await expect(openSocket(listener.port)).rejects.toThrow('ECONNREFUSED')
    response?.end('ne')
    await stopping
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK.*\r\n\r\ndone$/s)
  })

  test('closes connections after the grace period', async () => {
    const { listener, next } = await startHolding({ stopGraceMs: 50 })
    const socket = await openSocket(listener.port)
    const answer = readAll(socket)
    socket.write(REQUEST)
    ;(await next())?.write('do')
    await listener.stop()
    expect(await answer).toMatch(/\r\n\r\ndo$/)
  })
})
