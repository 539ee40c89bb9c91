import { describe, expect, test } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import type { Operation } from '../../src/emulator/protocol/operations.ts'
import { startEmulator } from '../api/client_setup.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitFor } from '../support/wait.ts'
import { startExporter } from './exporter_setup.ts'

/** One reading of everything at the start, and no other one during the test. */
const NEVER = neverSchedule()
const OTHERS = ['poll', 'forecast', 'discovery', 'performance'].map(
  (name) => `${name}: {schedule: "${NEVER}"}`,
)
const NAMES = ['system', 'replication', 'namespaces', 'quotas', 'inventory']
const ONCE = `${OTHERS.join('\n')}\nproviders: {schedule: ""}`
const RESOURCES = `resources: {${NAMES.map((name) => `${name}: {schedule: "${NEVER}"}`).join(', ')}}`

async function start(options: EmulatorOptions, requestsPerSecond: number) {
  const emulator = await startEmulator({ pools: 1, nodes: 1, ...options })
  const setup = await startExporter(
    `systems: [{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}]
${ONCE}\n${RESOURCES}\nlimits: {requests_per_second: ${requestsPerSecond}}`,
  )
  const isRead = async (name: string) => (await setup.value('sds_resource_up', { resource: name })) === 1
  const readAll = (names: readonly string[]) =>
    waitFor(async () => (await Promise.all(names.map(isRead))).every((read) => read), {
      what: 'the first readings',
    })
  return {
    emulator,
    setup,
    readAll,
    [Symbol.asyncDispose]: async () => {
      await setup.exporter.stop()
      await emulator.stop()
    },
  }
}

/** Readings of each operation in an hour with the default schedules. */
const AN_HOUR: Partial<Record<Operation, number>> = {
  system: 60,
  replication_groups: 12,
  failed_links: 12,
  bootstrap_links: 12,
  usage: 4,
  quota: 1,
  vdc_nodes: 1,
  license: 1,
}

/**
 * The budget: 2.4 requests a minute beside polls and the list of pools, and for namespaces their pages, a request for
 * each hundred, and one for each quota that the list does not have.
 */
const budget = (namespaces: number, quotas: number): number =>
  60 * 2.4 + 4 * Math.ceil(namespaces / 100) + 5 * Math.ceil(namespaces / 500) + quotas

describe('the requests of resources in an hour', () => {
  test.each([
    [2000, 'classic', 500],
    [2000, 'modern', 0],
  ] as const)(
    'with %d namespaces on a %s system are within the budget',
    async (namespaces, profile, quotas) => {
      await using running = await start({ namespaces, profile }, 1000)
      const { emulator, readAll } = running
      await readAll([...NAMES, ...(profile === 'modern' ? ['system_queries'] : [])])
      const counts = Object.entries(AN_HOUR).map(
        ([operation, times]) => emulator.log.count(operation as Operation) * times,
      )
      // The list is read for the usage and for the quotas.
      const pages = Math.ceil(namespaces / 500)
      expect(emulator.log.count('namespaces')).toBe(2 * pages)
      expect(emulator.log.count('quota')).toBe(quotas)
      expect(emulator.log.count('buckets') + emulator.log.count('bucket_usage')).toBe(0)
      const queries = profile === 'modern' ? 2 * 12 : 0
      const total = counts.reduce((sum, count) => sum + count, 0) + 5 * pages + queries
      expect(total).toBeLessThanOrEqual(budget(namespaces, quotas))
    },
  )
})

test('requests of resources take at most a tenth of limits.requests_per_second', async () => {
  const began = Date.now()
  await using running = await start({ namespaces: 3, profile: 'classic' }, 100)
  await running.readAll(NAMES)
  const ofResources = Object.keys(AN_HOUR).concat('namespaces')
  const times = running.emulator.log
    .requests()
    .filter(({ operation }) => ofResources.includes(operation))
    .map(({ time }) => time)
  expect(times.length).toBeGreaterThan(10)
  // Sent at least 100 ms apart. They may arrive later, but not earlier.
  for (const [index, time] of times.entries()) expect(time - began).toBeGreaterThanOrEqual(index * 99)
})
