import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { SummaryRow } from '../../../src/commands/nodes/summaries.ts'
import { type NodeRow, nodesTable } from '../../../src/commands/nodes/table.ts'
import { SEVERITIES } from '../../../src/status/states.ts'
import { startEmulator } from '../../api/client_setup.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { runCommand } from '../run_command.ts'

const ROW: NodeRow = {
  system: 'frankfurt',
  pool: 'hot',
  pool_id: 'urn:hot',
  id: 'n1',
  name: 'hot-node-01',
  health: 'Good',
  severity: 'ok',
  disks: 60,
  disks_good: 60,
  disks_bad: 0,
  disks_maintenance: 0,
  disks_ready_to_replace: 0,
  disk_space_total_bytes: 200e12,
  disk_space_allocated_bytes: 90.4e12,
  disk_space_allocated_ratio: 0.452,
  cpu_utilization_ratio: null,
  memory_utilization_ratio: null,
  network_utilization_ratio: null,
  failed_transactions_ratio: null,
  read_latency_seconds: null,
  write_latency_seconds: null,
  newest_sample_timestamp_seconds: 1_700_000_000,
  newest_sample_age_seconds: 42,
  rack: null,
  address: null,
  software_version: null,
}
const NOTHING = {
  ...Object.fromEntries(Object.keys(ROW).map((key) => [key, null])),
  system: 'frankfurt',
  pool: 'hot',
} as object as NodeRow
const UNLIMITED = { width: undefined }
const linesOf = (text: string) => text.trimEnd().split('\n')

describe('the table', () => {
  test('has errors and latencies, if there are any', () => {
    const values = { failed_transactions_ratio: 0.057, read_latency_seconds: 0.0123 }
    expect(linesOf(nodesTable([{ ...ROW, ...values }, ROW], UNLIMITED))).toEqual([
      'SYSTEM     POOL  NODE         HEALTH  DISKS  BAD   USED     BYTES  ERRORS   READ  AGE',
      'frankfurt  hot   hot-node-01  Good    60/60    0  45.2%  82.2 TiB    5.7%  12 ms  42s',
      'frankfurt  hot   hot-node-01  Good    60/60    0  45.2%  82.2 TiB                 42s',
    ])
  })

  test('has one line per node, with a dash for missing values', () => {
    expect(linesOf(nodesTable([ROW, { ...NOTHING, name: 'hot-node-02' }], UNLIMITED))).toEqual([
      'SYSTEM     POOL  NODE         HEALTH  DISKS  BAD   USED     BYTES  AGE',
      'frankfurt  hot   hot-node-01  Good    60/60    0  45.2%  82.2 TiB  42s',
      'frankfurt  hot   hot-node-02  -           -    -      -         -    -',
    ])
  })

  test('shows disks that are neither good nor bad, if there are any', () => {
    const rows = [
      { ...ROW, disks_good: 53, disks_bad: 2, disks_ready_to_replace: 1, disks_maintenance: 3 },
      { ...ROW, disks_good: 60 },
      { ...ROW, disks: 60, disks_good: 59, disks_maintenance: null },
    ]
    expect(linesOf(nodesTable(rows, UNLIMITED)).map((line) => line.slice(38, 73))).toEqual([
      'DISKS  BAD  OTHER                  ',
      '53/60    2  1 ready, 3 maint, 1 unk',
      '60/60    0                         ',
      '59/60    0                         ',
    ])
  })

  test('shows samples in the future, with a tolerance for the clock resolution', () => {
    const age = (seconds: number) => ({ ...ROW, newest_sample_age_seconds: seconds })
    const ages = linesOf(nodesTable([age(-1), age(-600), age(7200)], UNLIMITED)).map((line) =>
      line.slice(66).trim(),
    )
    expect(ages).toEqual(['AGE', '0s', 'in 10m', '2h'])
  })

  test('of a terminal that is too narrow has the columns for an incident, and node names are legible', () => {
    const rows = ['hot', 'archive'].map((pool, index) => ({
      ...ROW,
      pool,
      name: `ecs-node-0${index}.frankfurt.example.net`,
      health: index === 0 ? 'NotAccessible' : 'Good',
    }))
    expect(linesOf(nodesTable(rows, { width: 80 }))).toEqual([
      'SYSTEM     POOL     NODE                   HEALTH         DISKS  BAD   USED  AGE',
      'frankfurt  hot      ecs-node-00.frankfur…  NotAccessible  60/60    0  45.2%  42s',
      'frankfurt  archive  ecs-node-01.frankfur…  Good           60/60    0  45.2%  42s',
    ])
  })

  test.each([40, 60, 80, 100])('fits a terminal of %d columns, whatever the names', (width) => {
    const rows = [1, 2].map((index) => ({
      ...ROW,
      pool: 'urn:storageos:VirtualArray:b17d28fa-7fc3-465e-9f43-281e72a349eb',
      name: `スイス-node-0${index}-of-the-storage-of-frankfurt-${index}.example.net`,
      health: 'NotAccessible',
      disks_good: 53,
      disks_bad: 2,
      disks_ready_to_replace: 1,
      disks_maintenance: 3,
    }))
    const lines = linesOf(nodesTable(rows, { width }))
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(Math.max(width, 66))
    expect(lines[1]).toMatch(/^frankfu.* {2}urn:sto.* {2}スイス.* {2}53\/60 {4}2 .*45\.2%.* {2}42s$/)
    expect(nodesTable(rows, UNLIMITED)).toContain(rows[1]?.name)
  })

  test('has colours for states, bad disks, full nodes and old samples, on a terminal only', () => {
    const rows = ['Good', 'Maintenance', 'Suspect', 'Bad', 'NotAccessible', 'Rebooting', null].map(
      (health) => ({ ...ROW, health }),
    )
    const worst = { ...ROW, disks_bad: 2, disk_space_allocated_ratio: 0.95, newest_sample_age_seconds: 3600 }
    const terminal = { isTTY: true, hasColors: () => true, getColorDepth: () => 8 }
    const stream = Object.assign(new PassThrough(), terminal)
    const table = nodesTable([...rows, worst], { width: 200, stream })
    const colourOf = (text: string) =>
      new RegExp(`\u001b\\[(\\d+)m *${text} *\u001b`).exec(table)?.[1] ?? 'none'
    const states = ['Good', 'Maintenance', 'Suspect', 'Bad', 'NotAccessible', 'Rebooting', '-']
    expect(states.map(colourOf)).toEqual(['32', '36', '33', '31', '33', '33', '33'])
    expect(['2', '95.0%', '60m', '45.2%'].map(colourOf)).toEqual(['31', '33', '33', 'none'])
    expect(nodesTable([worst], { width: 200, stream: new PassThrough() })).not.toContain('\u001b')
    expect(nodesTable([worst], UNLIMITED)).not.toContain('\u001b')
  })

  test('escapes control characters in names', () => {
    expect(nodesTable([{ ...ROW, name: 'a\u001b[31m\nb', health: '\u202eBad' }], UNLIMITED)).toContain(
      'a\\u001b[31m\\u000ab  \\u202eBad',
    )
  })
})

async function nodes(systems: readonly object[], ...args: string[]) {
  using folder = temporaryFolder()
  const file = folder.write('sds-exporter.yml', JSON.stringify({ systems, poll: { timeout: '30s' } }))
  return await runCommand(['nodes', `--config.file=${file}`, ...args])
}

const system = (name: string, base_url: string, more = {}) => ({
  name,
  base_url,
  auth: { username: 'monitor', password: 'emulator' },
  ...more,
})

async function rowsOf(systems: readonly object[], ...args: string[]): Promise<NodeRow[]> {
  const { stdout } = await nodes(systems, '--json', ...args)
  return JSON.parse(stdout)
}

describe('nodes', () => {
  test('shows the nodes of discovered pools and logs out', async () => {
    await using emulator = await startEmulator({ pools: 2, nodes: 2, profile: 'modern' })
    const { code, stdout, stderr } = await nodes([system('frankfurt', emulator.url)])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = linesOf(stdout)
    expect(lines).toHaveLength(1 + 2 * 2)
    expect(lines[0]).toMatch(
      /^SYSTEM +POOL +NODE +HEALTH +DISKS +BAD +USED +BYTES +ERRORS +AGE +RACK +ADDRESS +VERSION$/,
    )
    expect(lines[1]).toMatch(
      /^frankfurt {2}hot {6}hot-node-01 {6}Good {4}60\/60 {4}0 {2}\d+\.\d% {2}\d+\.\d TiB +\d\.\d% +\d+s {2}rack-\d {2}[\d.]+ +\d+\.[\w.]+$/,
    )
    expect(emulator.log.logins()).toEqual({ granted: 1, refused: 0 })
    expect(emulator.liveSessions('monitor')).toBe(0)
    expect(emulator.log.count('nodes')).toBe(2)
  })

  test('shows the worst nodes first, then those of each pool by name, and reads no forecasts', async () => {
    await using emulator = await startEmulator({ pools: 2, nodes: 3, scenario: 'node-down' })
    const rows = await rowsOf([system('a', emulator.url), system('b', emulator.url)])
    const ranks = rows.map(({ severity }) => SEVERITIES.indexOf(severity))
    expect(ranks[0]).toBeGreaterThan(0)
    expect(ranks).toEqual(ranks.toSorted((a, b) => b - a))
    const good = rows.filter(({ severity }) => severity === 'ok')
    for (const ofPool of Map.groupBy(good, ({ system, pool }) => `${system} ${pool}`).values()) {
      const names = ofPool.map(({ name }) => name)
      expect(names).toEqual(names.toSorted())
    }
    expect(good.map(({ system }) => system).toSorted()).toEqual(good.map(({ system }) => system))
    expect(emulator.log.count('forecast')).toBe(0)
  })

  test('reports failures of a system and a pool, and shows the others', async () => {
    await using emulator = await startEmulator({ pools: 2, nodes: 1, faults: ['status:500@nodes,pool=hot'] })
    const systems = [system('dead', 'http://127.0.0.1:1'), system('frankfurt', emulator.url)]
    const { code, stdout, stderr } = await nodes(systems)
    expect(code).toBe(1)
    expect(linesOf(stdout)).toHaveLength(2)
    expect(linesOf(stderr)).toEqual([
      expect.stringMatching(/^sds-exporter: system dead: connection refused.*; check host and port/),
      expect.stringMatching(/^sds-exporter: system frankfurt, pool hot: .*HTTP 500/),
    ])
  })

  test('reads only the named system and the configured pools', async () => {
    await using emulator = await startEmulator({ pools: 3, nodes: 1 })
    const [pool] = emulator.pools
    const systems = [
      system('frankfurt', emulator.url, { pools: [{ id: pool?.id }] }),
      system('dead', 'http://127.0.0.1:1'),
    ]
    const rows = await rowsOf(systems, '--system=frankfurt')
    expect(rows.map(({ pool_id, pool }) => [pool_id, pool])).toEqual([[pool?.id, pool?.name]])
    expect(emulator.log.count('pools')).toBe(0)
    expect(await nodes(systems, '--system=rome')).toMatchObject({ code: 2, stdout: '' })
  })

  test('shows no rack, address and version to an account that may not read them, and fails not', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1, faults: ['status:403@vdc_nodes'] })
    const { code, stdout } = await nodes([system('a', emulator.url)])
    expect(code).toBe(0)
    expect(stdout).not.toContain('RACK')
  })

  test('calculates ages by the clock of the system', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1, faults: ['clock-back:7200'] })
    const [row] = await rowsOf([system('a', emulator.url)])
    expect(Math.abs(row?.newest_sample_age_seconds ?? Number.NaN)).toBeLessThan(60)
    emulator.setFaults(['ancient-time:7200'])
    const { stdout } = await nodes([system('a', emulator.url)])
    expect(stdout).toMatch(/ 2h {2}rack-1 /)
  })

  test.each([
    ['classic', true],
    ['modern', false],
  ] as const)(
    'has the errors of nodes of the profile %s, and latencies if served: %s',
    async (profile, hasLatency) => {
      await using emulator = await startEmulator({ pools: 1, nodes: 1, profile })
      const [row] = await rowsOf([system('a', emulator.url)])
      expect(row?.failed_transactions_ratio).toBeGreaterThan(0)
      expect(row?.read_latency_seconds !== null).toBe(hasLatency)
      expect(row?.write_latency_seconds !== null).toBe(hasLatency)
    },
  )

  test('never shows 0 for missing values', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1, faults: ['bad-values:nan'] })
    const [row] = await rowsOf([system('a', emulator.url)])
    expect(row).toMatchObject({
      disk_space_total_bytes: null,
      disk_space_allocated_ratio: null,
      newest_sample_age_seconds: null,
    })
  })

  test('reports a pool without nodes', async () => {
    await using emulator = await startEmulator({ pools: 1, faults: ['empty-list'] })
    const { code, stdout, stderr } = await nodes([system('a', emulator.url)])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toBe('system a, pool hot: no nodes\n')
  })

  test.each([
    [['--from=-1h'], 'need --summary'],
    [['--summary', '--from=-1h', '--to=-2h'], '--from must be earlier than --to'],
  ])('refuses %o', async (flags, message) => {
    const result = await nodes([system('a', 'http://127.0.0.1:1')], ...flags)
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  })

  test('--summary shows what the system says of a period', async () => {
    await using emulator = await startEmulator({ pools: 2, nodes: 2, profile: 'documented' })
    const flags = ['--summary', '--from=2026-03-01T00:00:00Z', '--to=2026-03-02T00:00:00Z']
    const { code, stdout, stderr } = await nodes([system('a', emulator.url)], ...flags)
    expect([code, stderr]).toEqual([0, ''])
    const cpu = linesOf(stdout).filter((line) => line.includes(' nodeCpuUtilization '))
    expect(cpu.map((line) => line.split(/ +/).slice(0, 3).join(' '))).toEqual([
      'a hot hot-node-01',
      'a hot hot-node-02',
      'a archive archive-node-01',
      'a archive archive-node-02',
    ])
    expect(stdout).toMatch(
      / transactionReadLatency +\d+\.\d ms +\d+\.\d ms +\d+\.\d ms {2}2026-03-01T\d\d:\d\d:00Z$/m,
    )
    expect(stdout).toMatch(/ diskReadBandwidthTotal +\d+\.\d MB\/s +\d+\.\d MB\/s +\d+\.\d MB\/s {2}2026/m)
    expect(emulator.log.count('history')).toBe(2)
  })

  test('--summary says that a period has no history', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1, faults: ['empty-list@history'] })
    const { code, stdout, stderr } = await nodes([system('a', emulator.url)], '--summary')
    const message = 'the dashboard API has no history in this period\n'
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: message })
    emulator.setFaults(['status:500@history'])
    const failed = await nodes([system('a', emulator.url)], '--summary')
    expect(failed.code).toBe(1)
    expect(failed.stderr).not.toContain(message)
  })

  test('--summary --json has the values of the system in base units', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1, profile: 'classic' })
    const [from, to] = [1_772_323_200, 1_772_323_200 + 7200]
    const flags = ['--summary', '--json', `--from=${from}`, `--to=${to}`, '--interval=5m']
    const { stdout } = await nodes([system('a', emulator.url)], ...flags)
    const rows = new Map<string, SummaryRow>(
      JSON.parse(stdout).map((row: SummaryRow) => [row.attribute, row]),
    )
    const url = `${emulator.url}/dashboard/storagepools/${emulator.pools[0]?.id}/nodes`
    const query = `dataType=historical&startTime=${from}&endTime=${to}&interval=300`
    const answer = await fetch(`${url}?${query}`, { headers: { 'X-SDS-AUTH-TOKEN': 'emulator-monitor' } })
    // biome-ignore lint/suspicious/noExplicitAny: the answer as it was served
    const [node] = ((await answer.json()) as any)._embedded._instances
    for (const [attribute, tag, scale] of [
      ['diskSpaceFree', 'Space', 1],
      ['nodeCpuUtilization', 'Percent', 0.01],
      ['transactionReadBandwidth', 'Bandwidth', 1e6],
      ['transactionWriteLatency', 'Latency', 0.001],
      ['transactionErrors.all', 'Rate', 0.01],
    ] as const) {
      const [name, member] = attribute.split('.')
      const summary = node[`${name}Summary`]
      const { Min, Max, Avg } = member === undefined ? summary : summary[member]
      const row = rows.get(attribute)
      expect(row).toMatchObject({ system: 'a', pool: 'hot', node: 'hot-node-01', node_id: node.id })
      const times = [row?.minimum_timestamp_seconds, row?.maximum_timestamp_seconds]
      expect(times).toEqual([Number(Min[0].t), Number(Max[0].t)])
      for (const [own, served] of [
        [row?.minimum, Min[0][tag]],
        [row?.average, Avg],
        [row?.maximum, Max[0][tag]],
      ] as const)
        expect((own ?? Number.NaN) / scale / Number(served)).toBeCloseTo(1, 9)
    }
  })
})
