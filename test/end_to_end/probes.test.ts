import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ExporterSetup, startExporter } from '../faults/exporter_setup.ts'
import { get } from '../support/http.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'
import { type Prometheus, startPrometheus } from '../support/programs/prometheus.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitForAssertion } from '../support/wait.ts'

/** Three systems, with different labels, that are polled only when Prometheus probes them. */
const SYSTEMS = [
  { name: 'frankfurt', nodes: 3, labels: '{site: fra, tier: gold}', site: 'fra' },
  { name: 'paris', nodes: 4, labels: '{site: par}', site: 'par' },
  { name: 'vienna', nodes: 5, labels: '{}', site: undefined },
] as const
const POOLS = 2

let emulators: readonly Emulator[]
let exporter: ExporterSetup
let prometheus: Prometheus

beforeAll(async () => {
  emulators = SYSTEMS.map(({ name, nodes }) =>
    createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', seed: name, nodes, pools: POOLS }),
  )
  await Promise.all(emulators.map((emulator) => emulator.start()))
  const systems = SYSTEMS.map(
    ({ name, labels }, index) =>
      `  - {name: ${name}, base_url: "${emulators[index]?.url}", auth: {username: monitor, password: emulator}, labels: ${labels}}\n`,
  )
  const rest = `poll: {schedule: ""}\ndiscovery: {schedule: "${neverSchedule()}"}\nlimits: {requests_per_second: 1000}\n`
  exporter = await startExporter(`systems:\n${systems.join('')}${rest}`)
  prometheus = await startPrometheus({
    config: {
      scrape_configs: [
        {
          job_name: 'sds-systems',
          scrape_interval: '2s',
          honor_labels: true,
          // The interval is also the time limit of a request, beyond which Prometheus logs an error.
          http_sd_configs: [{ url: `${exporter.exporter.url}/sd`, refresh_interval: '15s' }],
        },
      ],
    },
  })
})
afterAll(async () => {
  await prometheus?.stop()
  await exporter?.exporter.stop()
  await Promise.all(emulators.map((emulator) => emulator.stop()))
})

describe('Prometheus that discovers systems through /sd', () => {
  test('probes each of them, with the labels of the configuration', async () => {
    // On a loaded machine, a scrape may take longer than its interval.
    await waitForAssertion(async () => {
      const targets = await prometheus.targets()
      const found = targets.map(({ labels, health, lastError }) => ({ labels, health, lastError }))
      expect(
        found.sort((a, b) => String(a.labels['instance']).localeCompare(String(b.labels['instance']))),
      ).toEqual([
        {
          labels: { job: 'sds-systems', instance: 'frankfurt', site: 'fra', tier: 'gold' },
          health: 'up',
          lastError: '',
        },
        { labels: { job: 'sds-systems', instance: 'paris', site: 'par' }, health: 'up', lastError: '' },
        { labels: { job: 'sds-systems', instance: 'vienna' }, health: 'up', lastError: '' },
      ])
    })
  })

  test.each(SYSTEMS)('gets the series of $name from its own target', async ({ name, nodes, site }) => {
    const selector = `{system="${name}",instance="${name}"${site === undefined ? '' : `,site="${site}"`}}`
    for (const labels of [selector, `{system="${name}"}`])
      await prometheus.waitForSamples(`count(sds_node_disk_space_free_bytes${labels}) == ${nodes * POOLS}`)
    expect(await prometheus.waitForSamples(`sds_probe_success${selector} == 1`)).toHaveLength(1)
    expect(await prometheus.waitForSamples(`sds_system_up${selector} == 1`)).toHaveLength(1)
    const [info] = await prometheus.waitForSamples(`sds_system_info{system="${name}"}`)
    expect(info?.metric['site']).toBe(site)
    expect(Object.keys(info?.metric ?? {}).filter((label) => label.startsWith('exported_'))).toEqual([])
  })

  test('reports no duplicate or invalid sample', () => {
    expect(prometheus.log()).not.toMatch(/level=(warn|error)/)
  })
})

test('/metrics of an exporter without a schedule has no values of systems, and the exporter is ready', async () => {
  const names = new Set((await exporter.scrape()).map(({ name }) => name))
  expect(
    [...names].filter((name) => /^sds_(node|system|probe)_|^sds_pool_(up|nodes|info)$/.test(name)),
  ).toEqual([])
  expect(names).toContain('sds_pool_polls_total')
  expect((await get(`${exporter.exporter.url}/-/ready`)).status).toBe(200)
})
