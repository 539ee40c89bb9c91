import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { createExposition } from '../../src/metrics/exposition.ts'
import { newSystem } from '../../src/state/state.ts'
import { feedParts } from '../metrics/reading.ts'
import { SECURITY, startAdmin } from '../server/admin/admin_setup.ts'
import { openSocket, readAll, recordLog, startListener } from '../server/listener/listener_setup.ts'
import { metricsApp, probeSources } from '../server/status/status_setup.ts'
import { get } from '../support/http.ts'
import { createEmulator } from '../support/programs/emulator.ts'
import { mutatedText } from './support/arbitraries.ts'
import { fuzz, readCorpus } from './support/fuzz.ts'

const NOW_MS = Date.parse('2026-03-11T12:34:56Z')
const emulator = createEmulator({
  listenAddress: '127.0.0.1:0',
  nodes: 1,
  maxPoints: 50,
  clock: () => NOW_MS,
})
const log = recordLog()
const ports = { metrics: 0, admin: 0 }
const stops: (() => Promise<void>)[] = []

beforeAll(async () => {
  await emulator.start()
  const admin = await startAdmin({ systems: { a: emulator.url, b: emulator.url }, log })
  const app = metricsApp({
    exposition: () => createExposition(feedParts(1)),
    probes: probeSources({
      systems: () => [newSystem('a')],
      probe: async () => createExposition(feedParts(1)),
    }),
    log,
  })
  const metrics = await startListener({ handler: app, log })
  Object.assign(ports, { metrics: metrics.port, admin: Number(new URL(admin.url).port) })
  stops.push(metrics.stop, async () => admin[Symbol.asyncDispose](), emulator.stop)
})
afterAll(async () => {
  for (const stop of stops) await stop()
})

type Server = keyof typeof ports

/** Sends one input on one connection, ends it, and checks the responses. `HOST` becomes the address of the server. */
async function checkRequest(server: Server, input: string): Promise<void> {
  const logged = log.lines.length
  const socket = await openSocket(ports[server])
  const answer = readAll(socket)
  socket.end(Buffer.from(input.replaceAll('HOST', `127.0.0.1:${ports[server]}`), 'latin1'))
  const text = await answer
  // The server still works, and what it logs about the input is written.
  expect((await get(`http://127.0.0.1:${ports[server]}/-/healthy`)).status).toBe(200)
  expect(text).toMatch(/^(HTTP\/1\.1 [1-4]\d\d |HTTP\/1\.1 50[0-4] |$)/)
  expect(text).not.toMatch(/internal error/i)
  expect(log.lines.slice(logged).filter((line) => line.startsWith('error'))).toEqual([])
}

const requestOf = (line: string, ...headers: string[]) =>
  [line, 'Host: HOST', ...headers, '', ''].join('\r\n')
const TOKEN = `X-SDS-AUTH-TOKEN: ${SECURITY}`

const SEEDS: Readonly<Record<Server, readonly string[]>> = {
  metrics: [
    requestOf('GET /metrics HTTP/1.1', 'Accept: application/openmetrics-text', 'Accept-Encoding: gzip'),
    requestOf('GET /-/healthy?a=b HTTP/1.1'),
    requestOf('GET /probe?system=a&pool=p HTTP/1.1', 'X-Prometheus-Scrape-Timeout-Seconds: 10') +
      requestOf('GET /sd HTTP/1.1'),
    `${requestOf('POST /-/reload HTTP/1.1', 'Content-Length: 3')}abc`,
    requestOf('HEAD / HTTP/1.1') + requestOf('OPTIONS / HTTP/1.1'),
  ],
  admin: [
    requestOf('GET /systems/a/vdc/admin/authnproviders.json HTTP/1.1', TOKEN),
    requestOf('GET /vdc/admin/authnproviders HTTP/1.1', TOKEN, 'Accept: text/xml'),
    requestOf('DELETE /systems/b/vdc/admin/authnproviders/urn:a:%C3%B6 HTTP/1.1', TOKEN),
    requestOf('POST /systems/a/logout HTTP/1.1', TOKEN, 'Origin: http://HOST'),
    requestOf('POST /systems/a/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 33') +
      '{"username":"u","password":"abc"}',
    requestOf('GET / HTTP/1.1', 'Sec-Fetch-Site: cross-site') + requestOf('GET /systems HTTP/1.1'),
  ],
}

const PIECES = [
  ...'/ // .. % %2f %00 %ff ? # & = ; : é __proto__ constructor .json HOST HTTP/1.0'.split(' '),
  ...[' ', '\r\n', '\n', '\t', '\u0000', '0\r\n\r\n', 'a'.repeat(3000)],
  ...['Transfer-Encoding: chunked', 'Content-Length: 5', 'Expect: 100-continue', 'Connection: Upgrade'].map(
    (header) => `${header}\r\n`,
  ),
  ...['Upgrade: h2c\r\n', 'X-SDS-AUTH-TOKEN: a\r\n'],
]

for (const server of ['metrics', 'admin'] as const) {
  fuzz(`raw requests to the listener: ${server}`, {
    corpus: `requests/${server}`,
    input: fc.oneof(
      { weight: 5, arbitrary: mutatedText([...SEEDS[server], ...readCorpus(`requests/${server}`)], PIECES) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary-ascii' }) },
    ),
    runs: 25,
    check: (input) => checkRequest(server, input),
  })
}
