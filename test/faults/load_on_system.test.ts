import { describe, expect, test } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { get } from '../support/http.ts'
import { neverSchedule, WITHOUT_RESOURCES } from '../support/schedules.ts'
import { waitFor } from '../support/wait.ts'
import { startExporter } from './exporter_setup.ts'

/** One poll at the start, and no other one during the test. */
const NEVER = neverSchedule()
const ONCE = `poll: {schedule: "${NEVER}"}\nproviders: {schedule: ""}\nforecast: {schedule: "${NEVER}"}\ndiscovery: {schedule: "${NEVER}"}`
const systemAt = (url: string) =>
  `systems: [{name: a, base_url: "${url}", auth: {username: monitor, password: emulator}}]`

describe('the load on the system', () => {
  test('is one request per pool and poll, one for each time frame of forecasts, and one login, for any number of scrapers', async () => {
    await using emulator = await startEmulator({ pools: 3 })
    await using setup = await startExporter(`${systemAt(emulator.url)}\n${ONCE}\n${WITHOUT_RESOURCES}`)
    await waitFor(() => emulator.log.count('forecast') === 6, { what: 'the first forecasts' })
    const scrapes = Array.from({ length: 300 }, () => get(`${setup.exporter.url}/metrics`))
    for (const { status } of await Promise.all(scrapes)) expect(status).toBe(200)
    const { log } = emulator
    expect(
      ['login', 'pools', 'nodes', 'forecast'].map((operation) => log.count(operation as 'login')),
    ).toEqual([1, 1, 3, 6])
    expect(log.count()).toBe(11)
  })

  test('is within limits.concurrency and limits.requests_per_second', async () => {
    await using emulator = await startEmulator({ pools: 12 })
    // Without the limit, more would be under way at the permitted rate.
    emulator.setFaults(['slow-headers:0.3@nodes'])
    const limits = `limits: {concurrency: 2, requests_per_second: 10}\n${WITHOUT_RESOURCES}`
    const began = Date.now()
    await using setup = await startExporter(`${systemAt(emulator.url)}\n${ONCE}\n${limits}`)
    await waitFor(() => emulator.log.count('forecast') === 24, { what: 'all polls and forecasts' })
    expect(emulator.log.mostAtOnce()).toBeLessThanOrEqual(2)
    // Requests are sent at least 100 ms apart. They may arrive later, but not earlier.
    const requests = emulator.log.requests()
    expect(requests.length).toBeGreaterThan(20)
    for (const [index, { time }] of requests.entries())
      expect(time - began).toBeGreaterThanOrEqual(index * 99)
    expect(
      (await setup.scrape()).filter(({ name, value }) => name === 'sds_pool_up' && value === 1),
    ).toHaveLength(12)
  })

  test('by resources is at most a tenth of limits.requests_per_second', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1, namespaces: 3 })
    const names = ['system', 'replication', 'namespaces', 'quotas', 'inventory']
    const resources = names.map((name) => `${name}: {schedule: "${NEVER}"}`)
    const began = Date.now()
    await using setup = await startExporter(
      `${systemAt(emulator.url)}\n${ONCE}\nlimits: {requests_per_second: 100}\nresources: {${resources}}`,
    )
    const isRead = async (resource: string) => (await setup.value('sds_resource_up', { resource })) === 1
    await waitFor(async () => (await Promise.all(names.map(isRead))).every(Boolean), {
      what: 'the resources',
    })
    const ofPools: readonly string[] = ['login', 'pools', 'nodes', 'forecast']
    const times = emulator.log.requests().filter(({ operation }) => !ofPools.includes(operation))
    expect(times.length).toBeGreaterThan(10)
    for (const [index, { time }] of times.entries()) expect(time - began).toBeGreaterThanOrEqual(index * 99)
  })
})
