import { describe, expect, test } from 'vitest'
import { ATTRIBUTES, TRANSACTION_ERRORS } from '../../src/catalogue.ts'
import { ACCOUNTS } from '../../src/emulator/http/sessions.ts'
import type { Sample } from '../metrics/exposition_text.ts'
import { get, type HttpResponse } from '../support/http.ts'
import { checkMetrics } from '../support/promtool.ts'
import { type EmulatorSetup, nodesOf, startWithEmulator } from './exporter_setup.ts'
import { PARALLEL_TIMEOUT_MS, startInParallel } from './parallel.ts'

const NODES = 3
/** The number of hostile names of the emulator. */
const HOSTILE_NODES = 9
const FREE = 'sds_node_disk_space_free_bytes'

interface Observed {
  readonly setup: EmulatorSetup
  readonly before: readonly Sample[]
  readonly after: readonly Sample[]
  /** The nodes of the faulty pool, by name, in a family. */
  readonly nodes: (series: readonly Sample[], family: string) => Record<string, number>
  /** The response of the emulator for the faulty pool: shows that the fault was active. */
  readonly raw: HttpResponse
  /** Number of rejected values. */
  readonly rejected: (attribute: string, reason: string) => number
}

/** The expected effect of each fault of the data. The polls succeed. */
const FAULTS: Readonly<Record<string, (seen: Observed) => void | Promise<void>>> = {
  'wrong-content-type': ({ raw, after, nodes }) => {
    expect(raw.headers['content-type']).not.toContain('json')
    expect(Object.keys(nodes(after, FREE))).toHaveLength(NODES)
  },
  gzip: ({ raw, after, nodes }) => {
    expect(raw.headers['content-encoding']).toBe('gzip')
    expect(Object.keys(nodes(after, FREE))).toHaveLength(NODES)
  },
  bom: ({ raw, after, nodes }) => {
    expect(raw.text.startsWith('\ufeff')).toBe(true)
    expect(Object.keys(nodes(after, FREE))).toHaveLength(NODES)
  },
  'deep:20': ({ raw, after, nodes }) => {
    expect(raw.text).toContain('['.repeat(20))
    expect(Object.keys(nodes(after, FREE))).toHaveLength(NODES)
  },
  'proto-members': ({ raw, before, after, nodes }) => {
    expect(raw.text).toContain('"__proto__":{"id":"polluted"')
    expect(Object.keys(nodes(after, FREE))).toEqual(Object.keys(nodes(before, FREE)))
    expect(JSON.stringify(after)).not.toContain('polluted')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  },
  'empty-list': ({ after, nodes }) => {
    expect(nodes(after, 'sds_node_info')).toEqual({})
    expect(after.filter(({ name, value }) => name === 'sds_pool_nodes' && value === 0)).toHaveLength(1)
  },
  'vanished-node': ({ before, after, nodes }) => {
    const [left = '', ...stay] = Object.keys(nodes(before, FREE)).toSorted().toReversed()
    expect(Object.keys(nodes(after, FREE)).toSorted().toReversed()).toEqual(stay)
    // The list of all nodes with their versions is another response, without the fault.
    const ofFeed = after.filter(({ name }) => name !== 'sds_node_software_info')
    expect(JSON.stringify(ofFeed)).not.toContain(left)
  },
  'duplicate-ids': ({ after, nodes, rejected }) => {
    expect(Object.keys(nodes(after, FREE))).toHaveLength(NODES - 1)
    expect(rejected('id', 'duplicate')).toBeGreaterThan(0)
  },
  'missing-ids': ({ after, nodes, rejected }) => {
    expect(Object.keys(nodes(after, FREE))).toHaveLength(NODES - 1)
    expect(rejected('id', 'no_id')).toBeGreaterThan(0)
  },
  'duplicate-names': ({ after, nodes }) => {
    const ids = after.filter(({ name }) => name === 'sds_node_info').map(({ labels }) => labels['node_id'])
    const names = Object.keys(nodes(after, FREE))
    expect(names).toHaveLength(NODES)
    for (const name of names) expect(ids).toContain(name)
  },
  ...Object.fromEntries(
    (
      [
        ['bad-values:nan', 'text'],
        ['bad-values:infinity', 'text'],
        ['bad-values:huge', 'infinite'],
        ['bad-values:huge-text', 'infinite'],
        ['bad-values:negative', 'negative'],
        ['bad-values:implausible', 'range'],
        ['bad-values:hex', 'text'],
        ['bad-values:text', 'text'],
        ['bad-values:boolean', 'shape'],
        ['bad-values:list', 'shape'],
        ['bad-times:zero', 'time'],
        ['bad-times:milliseconds', 'time'],
        ['bad-times:microseconds', 'time'],
      ] as const
    ).map(([fault, reason]) => [
      fault,
      ({ setup, before, after, nodes, rejected }: Observed) => {
        expect(nodes(after, FREE)).toEqual({})
        expect(Object.keys(nodes(after, 'sds_node_disks'))).toHaveLength(NODES)
        for (const { name } of ATTRIBUTES) expect(rejected(name, reason)).toBeGreaterThanOrEqual(NODES)
        expect(coverage(after, setup, 'diskSpaceFree')).toEqual({ served: 0, unreadable: NODES })
        expect(coverage(before, setup, 'diskSpaceFree')).toEqual({ served: NODES })
        const logged = setup.log.filter(({ fields }) => fields['attribute'] === 'diskSpaceFree')
        expect(logged.map(({ level, fields }) => [level, fields['reason']])).toEqual([['warn', reason]])
      },
    ]),
  ),
  ...Object.fromEntries(
    ['unavailable', 'blank', 'null'].map((kind) => [
      `bad-values:${kind}`,
      ({ setup, after, nodes, rejected }: Observed) => {
        expect(nodes(after, FREE)).toEqual({})
        expect(rejected('diskSpaceFree', 'text')).toBe(0)
        expect(coverage(after, setup, 'diskSpaceFree')).toEqual({ served: 0, absent: NODES })
      },
    ]),
  ),
  'unknown-health:Rebooting': ({ after }) => {
    const states = after.filter(({ name, value }) => name === 'sds_node_health_status' && value === 1)
    expect(states.filter(({ labels }) => labels['status'] === 'Rebooting')).toHaveLength(NODES)
    expect(states).toHaveLength(2 * NODES)
  },
  'error-types:1000': ({ after, rejected }) => {
    const types = after.filter(({ name }) => name === 'sds_node_transaction_errors_by_type')
    expect(types.length).toBeGreaterThanOrEqual(NODES * TRANSACTION_ERRORS.maxExported)
    expect(types.length).toBeLessThan(2 * NODES * TRANSACTION_ERRORS.maxExported)
    const perPoll = NODES * (1000 - TRANSACTION_ERRORS.maxExported)
    expect(rejected('transactionErrors', 'too_many') % perPoll).toBe(0)
    expect(rejected('transactionErrors', 'too_many')).toBeGreaterThanOrEqual(perPoll)
  },
  'hostile-names': async ({ setup, after }) => {
    const names = after
      .filter(({ name }) => name === 'sds_node_info')
      .map(({ labels }) => labels['node'] ?? '')
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
    expect(names.filter((name) => name === '')).toEqual([])
    expect(new Set(names).size).toBe(2 * HOSTILE_NODES)
    const { text } = await get(`${setup.exporter.url}/metrics`)
    const { code, stdout, stderr } = await checkMetrics(text)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
  },
  'future-time:86400': ({ after, nodes }) => {
    for (const t of sampleTimes(after, nodes)) expect(t - Date.now() / 1000).toBeGreaterThan(80_000)
  },
  'ancient-time:4752000': ({ after, nodes }) => {
    for (const t of sampleTimes(after, nodes)) expect(Date.now() / 1000 - t).toBeGreaterThan(4_700_000)
  },
  frozen: async ({ setup, after, nodes }) => {
    await setup.waitForPolls(setup.faulty.id, 'ok', 2)
    const later = await setup.scrape()
    expect(sampleTimes(later, nodes)).toEqual(sampleTimes(after, nodes))
    expect(await setup.value('sds_pool_up', { pool_id: setup.faulty.id })).toBe(1)
    setup.emulator.setFaults([])
    await setup.waitForPolls(setup.faulty.id, 'ok', 2)
    const moved = sampleTimes(await setup.scrape(), nodes)
    for (const [index, t] of sampleTimes(later, nodes).entries()) expect(moved[index]).toBeGreaterThan(t)
  },
  'clock-back:3600': async ({ setup, after, nodes }) => {
    for (const t of sampleTimes(after, nodes)) expect(Date.now() / 1000 - t).toBeGreaterThan(3500)
    const skews = after.filter(({ name }) => name === 'sds_system_clock_skew_seconds')
    expect(skews).toHaveLength(1)
    await setup.waitForPolls(setup.faulty.id, 'ok', 1)
  },
}

/** Timestamps of the newest capacity sample of each node. Other samples are taken only every five minutes. */
function sampleTimes(series: readonly Sample[], nodes: Observed['nodes']): number[] {
  const capacity = series.filter(
    ({ name, labels }) => name !== 'sds_node_sample_timestamp_seconds' || labels['category'] === 'capacity',
  )
  const found = Object.values(nodes(capacity, 'sds_node_sample_timestamp_seconds'))
  expect(found.length).toBe(NODES)
  return found
}

function coverage(
  series: readonly Sample[],
  { faulty }: EmulatorSetup,
  attribute: string,
): Record<string, number> {
  const found = series.filter(
    ({ name, labels }) =>
      name === 'sds_pool_attribute_nodes' &&
      labels['pool_id'] === faulty.id &&
      labels['attribute'] === attribute,
  )
  return Object.fromEntries(found.map(({ labels, value }) => [labels['state'], value]))
}

async function runCase(fault: string): Promise<void> {
  await using setup = await startWithEmulator({
    nodes: fault === 'hostile-names' ? HOSTILE_NODES : NODES,
    newNodes: 0,
  })
  const { emulator, faulty, healthy } = setup
  const before = await setup.scrape()
  emulator.setFaults([`${fault}@nodes,pool=${faulty.name}`])
  await setup.waitForPolls(faulty.id, 'ok', 2)
  await setup.waitForPolls(healthy.id, 'ok')
  const after = await setup.scrape()
  const raw = await get(`${emulator.url}/dashboard/storagepools/${encodeURIComponent(faulty.id)}/nodes`, {
    'X-SDS-AUTH-TOKEN': ACCOUNTS.monitor.token,
    'Accept-Encoding': 'gzip',
  })
  const rejected = (attribute: string, reason: string) =>
    after.find(
      ({ name, labels }) =>
        name === 'sds_api_rejected_values_total' &&
        labels['attribute'] === attribute &&
        labels['reason'] === reason,
    )?.value ?? 0
  expect(Object.keys(nodesOf(after, healthy.id, FREE))).toEqual(
    Object.keys(nodesOf(before, healthy.id, FREE)),
  )
  await FAULTS[fault]?.({
    setup,
    before,
    after,
    raw,
    rejected,
    nodes: (series, family) => nodesOf(series, faulty.id, family),
  })
}

describe('a pool with unusual data', () => {
  const faults = Object.keys(FAULTS)
  const runs = startInParallel(faults, runCase)
  test.each(faults.map((fault, index) => [fault, index] as const))(
    '%s',
    async (_, index) => {
      await runs[index]
    },
    PARALLEL_TIMEOUT_MS,
  )
})
