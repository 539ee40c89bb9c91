import { afterAll, beforeAll, expect, test } from 'vitest'
import { TRANSACTION_ERRORS } from '../../src/catalogue.ts'
import { parseExposition, type Sample } from '../metrics/exposition_text.ts'
import { request } from '../support/http.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'
import { checkMetrics } from '../support/promtool.ts'
import { type ExporterSetup, startExporter } from './exporter_setup.ts'

/** The number of hostile names of the emulator. */
const NODES = 9
const FREE = 'sds_node_disk_space_free_bytes'
const ALL = { served: NODES }
const MAX_TYPES = TRANSACTION_ERRORS.maxExported

interface Pool {
  /** The samples of the pool before and with the fault. */
  readonly before: readonly Sample[]
  readonly after: readonly Sample[]
}

/** The nodes of the states of `diskSpaceFree`, and a further check. The poll of the pool succeeds. */
type Expected = readonly [coverage: Readonly<Record<string, number>>, check?: (pool: Pool) => void]

const valuesOf = (samples: readonly Sample[], family: string) =>
  samples.filter(({ name }) => name === family).map(({ value }) => value)
const nodesOf = (samples: readonly Sample[], family = FREE) =>
  samples.flatMap(({ name, labels }) => (name === family ? [labels['node'] ?? ''] : []))

/** The ages of the newest capacity samples. Other samples are taken only every five minutes. */
function ages(samples: readonly Sample[]): number[] {
  const times = samples.filter(
    ({ name, labels }) => name === 'sds_node_sample_timestamp_seconds' && labels['category'] === 'capacity',
  )
  expect(times).toHaveLength(NODES)
  return times.map(({ value }) => Date.now() / 1000 - value)
}

const UNREADABLE = ['nan', 'infinity', 'huge', 'huge-text', 'negative', 'implausible', 'hex', 'text']
const FAULTS: Readonly<Record<string, Expected>> = {
  'wrong-content-type': [ALL],
  gzip: [ALL],
  'deep:20': [ALL],
  'proto-members': [
    ALL,
    ({ after }) => {
      expect(JSON.stringify(after)).not.toContain('polluted')
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    },
  ],
  'empty-list': [{ served: 0 }, ({ after }) => expect(valuesOf(after, 'sds_pool_nodes')).toEqual([0])],
  'vanished-node': [
    { served: NODES - 1 },
    ({ before, after }) => {
      const [left = ''] = nodesOf(before).filter((node) => !nodesOf(after).includes(node))
      expect(left).not.toBe('')
      // The list of all nodes with their versions is another response, without the fault.
      const ofFeed = after.filter(({ name }) => name !== 'sds_node_software_info')
      expect(ofFeed.filter(({ labels }) => labels['node'] === left)).toEqual([])
    },
  ],
  'duplicate-ids': [{ served: NODES - 1 }],
  'missing-ids': [{ served: NODES - 1 }],
  'duplicate-names': [
    ALL,
    ({ after }) => {
      const ids = after.flatMap(({ labels }) => labels['node_id'] ?? [])
      expect(nodesOf(after).filter((name) => !ids.includes(name))).toEqual([])
    },
  ],
  ...Object.fromEntries(
    [
      ...UNREADABLE.map((kind) => `bad-values:${kind}`),
      ...['bad-values:boolean', 'bad-values:list'],
      ...['bad-times:zero', 'bad-times:milliseconds', 'bad-times:microseconds'],
    ].map((fault): [string, Expected] => [
      fault,
      [
        { served: 0, unreadable: NODES },
        ({ after }) => expect(nodesOf(after, 'sds_node_disks')).toHaveLength(NODES),
      ],
    ]),
  ),
  'bad-values:unavailable': [{ served: 0, absent: NODES }],
  'bad-values:blank': [{ served: 0, absent: NODES }],
  'bad-values:null': [{ served: 0, absent: NODES }],
  'unknown-health:Rebooting': [
    ALL,
    ({ after }) => {
      const states = after.filter(({ name, value }) => name === 'sds_node_health_status' && value === 1)
      expect(states.map(({ labels }) => labels['status'])).toEqual(Array(NODES).fill('Rebooting'))
    },
  ],
  'error-types:1000': [
    ALL,
    ({ after }) =>
      expect(valuesOf(after, 'sds_node_transaction_errors_by_type')).toHaveLength(NODES * MAX_TYPES),
  ],
  'hostile-names': [
    ALL,
    ({ after }) => {
      const names = nodesOf(after)
      for (const name of [
        'new\nline',
        'quo"te and \\ backslash',
        '<script>alert(1)</script><img src=x onerror=alert(1)>',
        'control\u0000\u0007\u001b[31m\u009f',
        '\u202egnitanimret\u202c \u0627\u0644\u0639\u0642\u062f\u0629',
        '{}[]#,= \t\r\n# HELP injected 1',
        '\ufffd lone surrogate',
      ])
        expect(names).toContain(name)
      // The long name is truncated, and the empty one is replaced by the id.
      expect(names.filter((name) => /^x{100}/.test(name) && name.length < 300)).toHaveLength(1)
      expect(names).not.toContain('')
      expect(new Set(names).size).toBe(NODES)
    },
  ],
  'future-time:86400': [ALL, ({ after }) => expect(Math.max(...ages(after))).toBeLessThan(-80_000)],
  'ancient-time:4752000': [ALL, ({ after }) => expect(Math.min(...ages(after))).toBeGreaterThan(4_700_000)],
  'clock-back:3600': [ALL, ({ after }) => expect(Math.min(...ages(after))).toBeGreaterThan(3500)],
  frozen: [ALL],
}

/** One pool for each fault, and one without, which are polled by probes only. */
let emulator: Emulator
let setup: ExporterSetup
let [before, after] = ['', '']

beforeAll(async () => {
  const pools = Object.keys(FAULTS).length + 1
  const size = { pools, nodes: NODES, newNodes: 0 }
  emulator = createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', ...size })
  await emulator.start()
  const system = `{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}`
  const rest = 'poll: {schedule: "", timeout: 100s}\nlimits: {requests_per_second: 1000}'
  setup = await startExporter(`systems: [${system}]\n${rest}\n`)
  before = await probe()
  const faultOf = (fault: string, index: number) => `${fault}@nodes,pool=${emulator.pools[index]?.id}`
  emulator.setFaults(Object.keys(FAULTS).map(faultOf))
  after = await probe()
})
afterAll(async () => {
  await setup?.exporter.stop()
  await emulator?.stop()
})

async function probe(): Promise<string> {
  const { status, text } = await request('GET', `${setup.exporter.url}/probe?system=a`, { timeout: 110_000 })
  expect([status, text.includes('\nsds_probe_success{system="a"} 1\n')]).toEqual([200, true])
  return text
}

function ofPool(text: string, id: string): Sample[] {
  const samples = parseExposition(text)
  const pool = samples.find(({ labels }) => labels['pool_id'] === id)?.labels['pool']
  return samples.filter(({ labels }) => labels['pool'] === pool)
}

test.each(Object.entries(FAULTS))('a pool with %s is polled', (fault, [coverage, check]) => {
  const id = emulator.pools[Object.keys(FAULTS).indexOf(fault)]?.id ?? ''
  const pool = { before: ofPool(before, id), after: ofPool(after, id) }
  const found = pool.after.filter(
    ({ name, labels }) => name === 'sds_pool_attribute_nodes' && labels['attribute'] === 'diskSpaceFree',
  )
  expect(Object.fromEntries(found.map(({ labels, value }) => [labels['state'], value]))).toEqual(coverage)
  expect(nodesOf(pool.before)).toHaveLength(NODES)
  expect(nodesOf(pool.after)).toHaveLength(coverage['served'] ?? 0)
  expect(valuesOf(pool.after, 'sds_pool_up')).toEqual([1])
  check?.(pool)
})

test('the pool without a fault is unchanged, and promtool finds nothing', async () => {
  const id = emulator.pools.at(-1)?.id ?? ''
  expect(nodesOf(ofPool(after, id))).toEqual(nodesOf(ofPool(before, id)))
  expect(await checkMetrics(after)).toMatchObject({ code: 0, stdout: '', stderr: '' })
})
