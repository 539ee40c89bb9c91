import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { createExposition } from '../../src/metrics/exposition.ts'
import { createPart } from '../../src/metrics/lines.ts'
import { PUSH_RESULTS } from '../../src/metrics/own.ts'
import { createPush } from '../../src/otlp/push.ts'
import { oneSample, parseExposition } from '../metrics/exposition_text.ts'
import { ownMetrics, recordingLog } from '../readings/setup.ts'
import { temporaryFolder } from '../support/folders.ts'
import { freePort } from '../support/ports.ts'
import { waitFor } from '../support/wait.ts'
import { accept, type Received, type Receiver, startReceiver } from './receiver.ts'

function configOf(section: string) {
  const systems = 'systems: [{name: a, base_url: "https://a:4443", auth: {token: t}}]'
  return parseConfig(`${systems}\notlp: ${section}\n`, { file: '/nowhere/x.yml', environment: {} }).otlp
}

function expositionOf(nodes: number) {
  return createExposition([
    createPart((add) => {
      for (let node = 0; node < nodes; node += 1)
        add('sds_node_disks', `system="a",pool="p",node="n${node}"`, node)
    }),
  ])
}

/** A push of so many nodes. */
function startPush(nodes = 1, now = Date.now) {
  const [own, log] = [ownMetrics(), recordingLog('debug')]
  let exposition = expositionOf(nodes)
  const push = createPush({ exposition: () => exposition, own, version: '1', log, now, seriesOfBatch: 2000 })
  const count = async (result: string) =>
    oneSample(await own.render('text'), 'sds_otlp_exports_total', { result }).value
  return {
    ...push,
    own,
    log: log.lines,
    count,
    show: (next: number) => {
      exposition = expositionOf(next)
    },
    /** Waits for the first push with the result, of those with the current section. */
    async once(result: string): Promise<void> {
      await waitFor(async () => (await count(result)) > 0, { what: `a push with the result ${result}` })
    },
    /** Waits for another push with the result. */
    async after(result: string): Promise<void> {
      const before = await count(result)
      await waitFor(async () => (await count(result)) > before, { what: `a push with the result ${result}` })
    },
    [Symbol.asyncDispose]: push.stop,
  }
}

const namesIn = ({ metrics }: Received) => metrics.map(({ name }) => name)
const nodesIn = ({ metrics }: Received) =>
  metrics.find(({ name }) => name === 'sds_node_disks')?.points.length ?? 0

test('a request has the path, headers, resource and own metrics', async () => {
  await using receiver = await startReceiver()
  await using push = startPush()
  const attributes = 'resource_attributes: {service.instance.id: one, site: fra}'
  await push.use(configOf(`{endpoint: "${receiver.url}", headers: {X-Scope-OrgID: geheim}, ${attributes}}`))
  await push.once('ok')
  const [request] = receiver.requests
  expect(request).toMatchObject({
    url: '/v1/metrics',
    headers: {
      'content-type': 'application/x-protobuf',
      'content-encoding': 'gzip',
      'x-scope-orgid': 'geheim',
      'user-agent': expect.stringMatching(/^sds-exporter\/1 OTel-OTLP-Exporter-JavaScript\//),
    },
    resource: {
      'service.name': 'sds-exporter',
      'service.instance.id': 'one',
      'service.version': '1',
      site: 'fra',
    },
    scope: 'sds-exporter',
  })
  expect(request && namesIn(request)).toEqual(
    expect.arrayContaining(['sds_node_disks', 'sds_exporter_build_info', 'process_start_time_seconds']),
  )
  expect(JSON.stringify([push.log, push.status()])).not.toContain('geheim')
})

test('without compression', async () => {
  await using receiver = await startReceiver()
  await using push = startPush()
  await push.use(configOf(`{endpoint: "${receiver.url}", compression: none}`))
  await push.once('ok')
  expect(receiver.requests[0]?.headers).not.toHaveProperty('content-encoding')
  expect(receiver.requests[0]?.metrics.length).toBeGreaterThan(5)
})

test('many series are sent in several requests over one connection', async () => {
  await using receiver = await startReceiver()
  await using push = startPush(5000)
  await push.use(configOf(`{endpoint: "${receiver.url}"}`))
  await push.once('ok')
  expect(receiver.requests.map(nodesIn)).toEqual([2000, 2000, 1000])
  const nodes = receiver.requests.flatMap(({ metrics }) => metrics[0]?.points.map(({ value }) => value))
  expect(nodes.slice(0, 5000)).toEqual(Array.from({ length: 5000 }, (_, index) => index))
  expect(await push.count('ok')).toBe(1)
})

test('the time of an exposition is that of its samples, and no time is sent with two states', async () => {
  await using receiver = await startReceiver()
  await using push = startPush(1)
  await push.use(configOf(`{endpoint: "${receiver.url}", interval: 1s}`))
  await push.once('ok')
  await push.after('ok')
  push.show(2)
  await waitFor(() => receiver.requests.some((request) => nodesIn(request) === 2), { what: 'the next state' })
  const times = receiver.requests.map(
    (request) => [nodesIn(request), request.metrics[0]?.points[0]?.time] as const,
  )
  const [first] = times[0] ?? []
  expect(first).toBe(1)
  expect(new Set(times.filter(([nodes]) => nodes === 1).map(([, time]) => time)).size).toBe(1)
  expect(times.findLast(([nodes]) => nodes === 2)?.[1]).toBeGreaterThan(times[0]?.[1] ?? 0n)
})

test('an exposition of more than four minutes ago is sent with the time of the push', async () => {
  await using receiver = await startReceiver()
  const nowMs = Date.now() + 5 * 60_000
  await using push = startPush(1, () => nowMs)
  await push.use(configOf(`{endpoint: "${receiver.url}"}`))
  await push.once('ok')
  expect(receiver.requests[0]?.metrics[0]?.points[0]?.time).toBe(BigInt(nowMs) * 1_000_000n)
})

test('the metrics of the push exist only while it is on', async () => {
  await using receiver = await startReceiver()
  await using push = startPush()
  const otlpSamples = async () =>
    parseExposition(await push.own.render('text')).filter(({ name }) => name.startsWith('sds_otlp_'))
  expect(await otlpSamples()).toEqual([])
  expect(push.status()).toBeUndefined()
  await push.use(configOf(`{endpoint: "${receiver.url}"}`))
  const results = (await otlpSamples()).flatMap(({ labels }) => labels['result'] ?? [])
  expect(results).toEqual([...PUSH_RESULTS])
  await push.once('ok')
  const text = await push.own.render('text')
  const seconds = oneSample(text, 'sds_otlp_last_success_timestamp_seconds').value
  expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(120)
  expect(push.status()).toMatchObject({ lastSuccess: seconds, last: { result: 'ok' } })
  await push.use(undefined)
  expect(await otlpSamples()).toEqual([])
  expect(push.status()).toBeUndefined()
})

test('another section is used at once, the same one changes nothing', async () => {
  await using first = await startReceiver()
  await using second = await startReceiver()
  await using push = startPush()
  const section = (receiver: Receiver) => configOf(`{endpoint: "${receiver.url}", interval: 1h}`)
  await push.use(section(first))
  await push.once('ok')
  await push.use(section(first))
  await push.use(section(second))
  await push.once('ok')
  expect([first.requests.length, second.requests.length]).toEqual([1, 1])
})

test('a push that is under way ends with the exporter', async () => {
  await using receiver = await startReceiver()
  const push = startPush()
  receiver.respond = () => undefined
  await push.use(configOf(`{endpoint: "${receiver.url}", timeout: 1h}`))
  await waitFor(() => receiver.requests.length > 0, { what: 'a request' })
  await push.stop()
  expect(receiver.requests).toHaveLength(1)
  expect(push.log.filter(({ level }) => level === 'warn')).toEqual([])
})

test('a push that has not begun to send ends, too', async () => {
  await using receiver = await startReceiver()
  const push = startPush()
  receiver.respond = () => undefined
  await push.use(configOf(`{endpoint: "${receiver.url}", timeout: 1h}`))
  await push.stop()
  expect(receiver.requests).toEqual([])
})

test('headers of a file are read for each push', async () => {
  using folder = temporaryFolder()
  await using receiver = await startReceiver()
  await using push = startPush()
  const file = folder.write('headers', 'Authorization: Bearer one\n')
  const section = `{endpoint: "${receiver.url}", headers: {authorization: Bearer none, a: b}, headers_file: "${file}", interval: 1s}`
  await push.use(configOf(section))
  await push.once('ok')
  expect(receiver.requests[0]?.headers).toMatchObject({ authorization: 'Bearer one', a: 'b' })
  folder.write('headers', 'Authorization: Bearer two\n')
  await waitFor(() => receiver.requests.at(-1)?.headers.authorization === 'Bearer two', {
    what: 'the new header',
  })
  folder.write('headers', 'geheim')
  await push.after('local')
  expect(push.log.at(-1)).toMatchObject({ level: 'warn', fields: { result: 'local' } })
  expect(JSON.stringify([push.log, push.status()])).not.toContain('geheim')
})

test('TLS with a certificate of its own', async () => {
  using folder = temporaryFolder()
  const pair = await selfSigned({ names: ['receiver.example.net'] })
  await using receiver = await startReceiver(pair)
  await using push = startPush()
  const endpoint = `endpoint: "${receiver.url}", interval: 1s`
  await push.use(configOf(`{${endpoint}}`))
  await push.once('connection')
  expect(push.status()?.last?.problem).toMatch(/self-signed/)
  const tls = `{ca_file: "${folder.write('ca.pem', pair.cert)}", server_name: receiver.example.net}`
  await push.use(configOf(`{${endpoint}, tls_config: ${tls}}`))
  await push.once('ok')
  await push.use(configOf(`{${endpoint}, tls_config: {insecure_skip_verify: true}}`))
  await push.once('ok')
})

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}, body: string | Buffer = '') =>
  (response: ServerResponse) =>
    response.writeHead(code, headers).end(body)

/** `ExportMetricsServiceResponse` with `partial_success`. */
const partial = (rejected: number, message: string) => {
  const inner = Buffer.concat([Buffer.from([8, rejected, 18, message.length]), Buffer.from(message)])
  return Buffer.concat([Buffer.from([10, inner.length]), inner])
}

/** `google.rpc.Status` with code 3 and a message. */
const refusal = (message: string) =>
  Buffer.concat([Buffer.from([8, 3, 18, message.length]), Buffer.from(message)])

async function trickle(response: ServerResponse): Promise<void> {
  response.writeHead(200)
  while (!response.destroyed) {
    response.write(' ')
    await sleep(100)
  }
}

interface Fault {
  readonly respond: (response: ServerResponse) => unknown
  readonly result: string
  readonly problem?: RegExp
  /** Of one push with three batches. */
  readonly requests?: number
}

describe.concurrent('a receiver with a fault', () => {
  test.each<[string, Fault]>([
    [
      '400',
      {
        respond: status(400, {}, refusal('out of order')),
        result: 'refused',
        problem: /^HTTP 400: out of order$/,
        requests: 2,
      },
    ],
    [
      '401',
      {
        respond: status(401, {}, 'token geheim is wrong'),
        result: 'refused',
        problem: /^HTTP 401: <secret>$/,
        requests: 1,
      },
    ],
    [
      '404',
      { respond: status(404, {}, '<html>'), result: 'refused', problem: /^HTTP 404: <html>$/, requests: 1 },
    ],
    ['413', { respond: status(413), result: 'refused', problem: /^HTTP 413/, requests: 2 }],
    [
      'a redirect',
      {
        respond: status(302, { location: 'http://127.0.0.1:1/' }),
        result: 'refused',
        problem: /302/,
        requests: 1,
      },
    ],
    ['500', { respond: status(500), result: 'refused', problem: /^HTTP 500/, requests: 1 }],
    ['429 for long', { respond: status(429, { 'retry-after': '3600' }), result: 'unavailable', requests: 1 }],
    ['503', { respond: status(503, { 'retry-after': '3600' }), result: 'unavailable', problem: /503/ }],
    ['no response', { respond: () => undefined, result: 'timeout', problem: /timeout/, requests: 1 }],
    ['an endless response', { respond: trickle, result: 'timeout', problem: /timeout/, requests: 1 }],
    ['a large response', { respond: status(200, {}, Buffer.alloc(5_000_000)), result: 'local', requests: 1 }],
    ['a broken connection', { respond: (response) => response.destroy(), result: 'connection' }],
    [
      'rejected samples',
      {
        respond: status(200, {}, partial(7, 'too old geheim')),
        result: 'partial',
        problem: /<secret>$/,
        requests: 2,
      },
    ],
    ['a warning', { respond: status(200, {}, partial(0, 'deprecated')), result: 'ok', requests: 2 }],
    ['another text', { respond: status(200, {}, '<html>'), result: 'ok', requests: 2 }],
  ])(
    '%s: the push has the result, and the next one works',
    async (_, { respond, result, problem, requests }) => {
      await using receiver = await startReceiver()
      await using push = startPush(2000)
      receiver.respond = respond
      const section = `endpoint: "${receiver.url}", timeout: 2s, headers: {Authorization: Bearer geheim}`
      await push.use(configOf(`{${section}, interval: 1h}`))
      await push.once(result)
      if (requests !== undefined) expect(receiver.requests).toHaveLength(requests)
      if (problem !== undefined) expect(push.status()?.last?.problem).toMatch(problem)
      await push.use(configOf(`{${section}, interval: 1s}`))
      if (result !== 'ok') {
        await push.once(result)
        await push.after(result)
        const warnings = push.log.filter(({ level }) => level === 'warn')
        expect(warnings).toHaveLength(2)
        expect(warnings[0]?.fields).toMatchObject({ endpoint: `${receiver.url}/v1/metrics`, result })
      }
      receiver.respond = accept
      await push.after('ok')
      expect(push.status()?.last).toEqual({ result: 'ok' })
      expect(JSON.stringify([push.log, push.status()])).not.toContain('geheim')
    },
  )

  test('that is not there', async () => {
    await using push = startPush()
    await push.use(configOf(`{endpoint: "http://127.0.0.1:${await freePort()}", timeout: 1s}`))
    await push.once('connection')
    expect(push.status()?.last?.problem).toMatch(/ECONNREFUSED/)
  })

  test('that is busy for a moment gets the same request again', async () => {
    await using receiver = await startReceiver()
    await using push = startPush()
    receiver.respond = (response) => {
      receiver.respond = accept
      status(503, { 'retry-after': '0' })(response)
    }
    await push.use(configOf(`{endpoint: "${receiver.url}"}`))
    await push.once('ok')
    expect(receiver.requests).toHaveLength(2)
    expect(receiver.requests[0]?.metrics).toEqual(receiver.requests[1]?.metrics)
  })

  test('that is slow gets the newest state, and no queue', async () => {
    await using receiver = await startReceiver()
    await using push = startPush(1)
    let release: () => void = () => undefined
    receiver.respond = (response) => {
      release = () => accept(response)
    }
    await push.use(configOf(`{endpoint: "${receiver.url}", interval: 1s, timeout: 1h}`))
    await waitFor(() => receiver.requests.length === 1, { what: 'a request' })
    push.show(2)
    await push.after('skipped')
    push.show(3)
    await push.after('skipped')
    expect(receiver.requests).toHaveLength(1)
    receiver.respond = accept
    release()
    await waitFor(() => receiver.requests.length > 1, { what: 'the next push' })
    expect(receiver.requests.map(nodesIn).slice(0, 2)).toEqual([1, 3])
  })
})
