import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../api/client_setup.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { startProcess } from '../../support/processes.ts'
import type { Emulator } from '../../support/programs/emulator.ts'
import { promtool } from '../../support/promtool.ts'
import { waitFor } from '../../support/wait.ts'
import { runServer } from '../doctor/doctor_setup.ts'
import { backfill, samplesIn, toText } from './run_backfill.ts'

/** Backfills of systems that have their performance metrics in the Flux API only. */
const HOUR = 3600
const DAY = 86_400
/** Requests of the check whether the Flux API can be used: twenty minutes before, and half an hour. */
const CHECKS = 12

/** A range of whole hours that ends some seconds ago, at a multiple of five minutes. */
function range(hours: number, secondsAgo = 0): string[] {
  const to = Math.floor((Date.now() / 1000 - secondsAgo) / 300) * 300
  return [`--from=${to - hours * HOUR}`, `--to=${to}`]
}

function configFor(
  folder: Folder,
  { url }: { readonly url: string },
  more = 'limits: {requests_per_second: 1000}',
): string {
  const auth = 'auth: {username: monitor, password: emulator}'
  const text = `systems: [{name: a, base_url: "${url}", ${auth}}]\n${more}\n`
  return `--config.file=${folder.write('sds-exporter.yml', text)}`
}

/** Requests of a run, without the logout at its end. */
const requestsOf = ({ log }: Emulator) => log.count() - log.count('logout')

describe('the Flux API', () => {
  test('is read for what the feed lacks', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 2, nodes: 1, profile: 'modern' })
    const file = join(folder.path, 'history.om')
    const flags = [configFor(folder, emulator), ...range(3), '--label=job=sds', `--output=${file}`]
    const { code, stderr } = await backfill(...flags)
    expect([code, stderr]).toEqual([0, expect.stringContaining('complete')])
    expect(/complete, .*, (\d+) requests, /.exec(stderr)?.[1]).toBe(String(requestsOf(emulator)))
    const text = readFileSync(file, 'utf8')
    for (const pool of ['hot', 'archive']) {
      expect(text).toMatch(
        new RegExp(
          `^sds_node_cpu_utilization_ratio\\{system="a",pool="${pool}",node="${pool}-node-01",job="sds"\\} 0\\.\\d+ \\d+$`,
          'm',
        ),
      )
      expect(text).toMatch(new RegExp(`^sds_node_disk_space_total_bytes\\{system="a",pool="${pool}"`, 'm'))
    }
    expectMetricsTogether(text)
    const blocks = join(folder.path, 'blocks')
    expect(await promtool(['tsdb', 'create-blocks-from', 'openmetrics', file, blocks])).toMatchObject({
      code: 0,
    })
  })

  test('is read in parts if a combined query has no rows, to the same result', async () => {
    using folder = temporaryFolder()
    const written: string[][] = []
    for (const faults of [['combined-empty'], []]) {
      await using emulator = await startEmulator({ pools: 1, nodes: 1, profile: 'modern', faults })
      const file = join(folder.path, `${faults.length}.om`)
      const config = configFor(folder, emulator)
      const flags = [config, ...range(2, HOUR), '--source=query', '--label=job=sds', `--output=${file}`]
      const { code, stderr } = await backfill(...flags)
      expect([code, stderr]).toEqual([0, expect.stringContaining(': complete, ')])
      // A field of disk I/O is of several measurements, too: the emulated system has no rows of it.
      written.push(samplesIn(readFileSync(file, 'utf8')).filter((line) => !/^sds_node_disk_/.test(line)))
    }
    expect(written[0]).toEqual(written[1])
    expect(written[0]?.some((line) => line.startsWith('sds_node_transactions_succeeded{'))).toBe(true)
  })

  test('gives only what it keeps: CPU for 5 days, transactions for 60 days', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1, profile: 'modern' })
    const config = configFor(folder, emulator)
    const { text, stderr } = await toText(folder, config, ...range(2, 5 * DAY - HOUR))
    expect(stderr).toMatch(
      /CPU, memory and network begin about \S+:00:00Z: the Flux API keeps them for 5 days/,
    )
    const count = (family: string) => samplesIn(text).filter((line) => line.startsWith(`${family}{`)).length
    expect(count('sds_node_transaction_read_bytes_per_second')).toBeGreaterThanOrEqual(23)
    expect(count('sds_node_cpu_utilization_ratio')).toBeGreaterThan(9)
    expect(count('sds_node_cpu_utilization_ratio')).toBeLessThan(15)
    emulator.log.clear()
    const old = await toText(folder, config, ...range(2, 70 * DAY))
    expect(old.stderr).toContain(
      'transactions, latency and disk I/O are missing: the Flux API keeps them for 60 days',
    )
    expect(emulator.log.count('query')).toBe(0)
  })

  test('alone is read with --source=query, also of a system whose feed has all figures', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 2, nodes: 1, profile: 'classic' })
    const flags = [...range(1), '--source=query', '--pool=archive']
    const { code, text } = await toText(folder, configFor(folder, emulator), ...flags)
    expect(code).toBe(0)
    expect([emulator.log.count('history'), emulator.log.mostAtOnce()]).toEqual([0, 1])
    expect(text).toMatch(/^sds_node_cpu_utilization_ratio\{/m)
    expect(text).not.toMatch(/^sds_node_disk_space/m)
    for (const line of samplesIn(text)) expect(line).toContain('pool="archive"')
  })

  test('is not needed for a system whose feed has all figures', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1, profile: 'classic' })
    const { stderr } = await toText(folder, configFor(folder, emulator), ...range(1))
    expect(stderr).not.toContain('system a')
    expect(emulator.log.count('query')).toBe(0)
  })

  test('is continued with --resume to the same result', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1, profile: 'modern' })
    const slow = configFor(folder, emulator, 'limits: {requests_per_second: 10}')
    const file = join(folder.path, 'history.om')
    // It ends before the newest points, which a later run has in addition.
    const flags = [...range(5, HOUR), `--output=${file}`]
    const child = await startProcess(process.execPath, ['src/main.ts', 'backfill', slow, ...flags])
    await waitFor(() => emulator.log.count('query') > CHECKS + 14, {
      what: 'some windows',
      detail: child.stderr,
    })
    child.kill('SIGINT')
    expect(await child.exited).toEqual({ code: 1, signal: null })
    const fast = configFor(folder, emulator)
    const other = await backfill(fast, ...flags, '--resume', '--source=feed')
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('another --source') })
    emulator.log.clear()
    expect(await backfill(fast, ...flags, '--resume')).toMatchObject({ code: 0 })
    expect(emulator.log.count('history')).toBe(0)
    const whole = join(folder.path, 'whole.om')
    expect(await backfill(fast, ...flags.slice(0, 2), `--output=${whole}`)).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(whole, 'utf8'))
  })
})

/** Passes requests on to a system; the first queries whose text contains `failing` get an error of the query service. */
async function startProxy(target: string) {
  const state = { failing: '', failures: Number.POSITIVE_INFINITY }
  const server = createServer(async (request, response) => {
    const body = request.method === 'POST' ? await textOf(request) : undefined
    if (state.failing !== '' && state.failures > 0 && body?.includes(state.failing) === true) {
      state.failures -= 1
      response.writeHead(500, { 'Content-Type': 'application/json' })
      return response.end('{"error":"failed to compile query: this error is made on purpose"}')
    }
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      body: body ?? null,
    })
    const { 'content-encoding': ___, 'content-length': ____, ...kept } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, kept)
    return response.end(Buffer.from(await answer.arrayBuffer()))
  })
  return Object.assign(await runServer(server), { state })
}

/** Four hours of a system, of which a query for latencies can fail in the second one. */
async function startRuns() {
  const folder = temporaryFolder()
  const emulator = await startEmulator({ pools: 1, nodes: 1, profile: 'modern' })
  const proxy = await startProxy(emulator.url)
  const config = configFor(folder, proxy)
  const to = Math.floor((Date.now() / 1000 - HOUR) / 300) * 300
  const text = (hours: number) => new Date((to - hours * HOUR) * 1000).toISOString().replace('.000Z', 'Z')
  return {
    proxy,
    text,
    failing: `stop: ${text(2)}) |> filter(fn: (r) => r._measurement == \\"statDataHead_performance_internal_latency\\" and r.id == \\"ttlb_write`,
    async written(name: string, from: string, until: string, ...more: string[]) {
      const file = join(folder.path, name)
      const flags = [
        `--from=${from}`,
        `--to=${until}`,
        '--source=query',
        '--label=job=sds',
        `--output=${file}`,
      ]
      const { code, stderr } = await backfill(config, ...flags, ...more)
      return { code, stderr, samples: samplesIn(readFileSync(file, 'utf8')) }
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await emulator[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

test('a query that fails later is a gap, which a run of its own reads', async () => {
  await using runs = await startRuns()
  const { proxy, text, failing, written } = runs
  proxy.state.failing = failing
  const missing = `missing: system a, Flux API: latency from ${text(3)} to ${text(1)} was not answered`
  const first = await written('first.om', text(4), text(0))
  expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining(missing) })
  expect(first.stderr).not.toMatch(/complete|is refused/)
  const finished = await written('first.om', text(4), text(0), '--resume')
  expect(finished).toMatchObject({ code: 1, stderr: expect.stringContaining(missing) })
  proxy.state.failing = ''
  const later = await written('later.om', text(3), text(1))
  const whole = await written('whole.om', text(4), text(0))
  expect([later, whole]).toMatchObject(
    Array(2).fill({ code: 0, stderr: expect.stringContaining('complete') }),
  )
  expect(first.samples.length).toBeLessThan(whole.samples.length)
  expect(new Set([...first.samples, ...later.samples])).toEqual(new Set(whole.samples))
})

test('an hour of which a query fails once is read again, to the result of an undisturbed run', async () => {
  await using runs = await startRuns()
  const { proxy, text, failing, written } = runs
  Object.assign(proxy.state, { failing, failures: 1 })
  const first = await written('first.om', text(4), text(0))
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('complete') })
  expect(proxy.state.failures).toBe(0)
  expect(first.samples).toEqual((await written('whole.om', text(4), text(0))).samples)
})

/** All lines of a metric follow each other, with all buckets of a time together. */
function expectMetricsTogether(text: string): void {
  const seen = new Set<string>()
  let [metric, time, left] = ['', 0, 0]
  for (const line of samplesIn(text)) {
    const [, name = '', t = ''] = /^(.*) \S+ (\d+)$/.exec(line) ?? []
    const own = name.replace(/,le="[^"]*"/, '')
    if (own !== metric) {
      expect(seen).not.toContain(own)
      seen.add(own)
    } else expect(Number(t)).toBeGreaterThanOrEqual(time)
    if (name.includes('le="0.0"')) {
      expect(left).toBe(0)
      left = 10
    }
    if (name !== own) left -= 1
    expect(name === own || left >= 0).toBe(true)
    metric = own
    time = Number(t)
  }
  expect([left, text.includes('le="+Inf"')]).toEqual([0, true])
}

describe('what cannot be read is said, and the feed is read', () => {
  test.each([
    ['range-defect', '', '', [], 'release 3.8.0.3.136839.4f1ba2c9d07 has wrong values in ranges', 0],
    ['community', '', '', [], 'the Flux API does not run, as on a Community Edition', 1],
    ['modern', 'absolute-refused', '', [], 'refuses queries with absolute times', 5],
    ['modern', 'query-error:role', '', [], 'the account lacks the role for this request', 1],
    ['modern', 'query-error:compile', '', [], 'failed to compile query', 5],
    ['modern', 'status:404@vdc_nodes', '', [], 'the release cannot be read from /vdc/nodes', 0],
    ['modern', '', '', ['--source=feed'], 'because of --source=feed', 0],
    ['modern', '', 'performance: {source: feed}', [], 'because of performance.source: feed', 0],
  ] as const)('profile %s, fault "%s", "%s", %o', async (profile, fault, more, flags, message, queries) => {
    using folder = temporaryFolder()
    const faults = fault === '' ? [] : [fault]
    await using emulator = await startEmulator({ pools: 1, nodes: 1, profile, faults })
    const config = configFor(folder, emulator, more)
    const { code, text, stderr } = await toText(folder, config, ...range(1), ...flags)
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('its dashboard API keeps only the history of the capacity'),
    ])
    expect(stderr).toContain(message)
    // A source that the user has chosen lacks nothing.
    const isChosen = flags.length > 0 || more !== ''
    expect(stderr).toMatch(isChosen ? /: complete, / : /, without the Flux API of system a$/m)
    expect(text).toMatch(/^sds_node_disk_space_allocated_bytes/m)
    expect(text).not.toMatch(/^sds_node_(cpu|transaction)/m)
    expect(emulator.log.count('query')).toBe(queries)
  })

  test('--source=query fails if there is nothing else', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1, profile: 'range-defect' })
    const result = await toText(folder, configFor(folder, emulator), ...range(1), '--source=query')
    expect(result).toMatchObject({ code: 1, text: '', stderr: expect.stringContaining('fixed in 3.8.1') })
  })
})
