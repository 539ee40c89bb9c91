import { describe, expect, test } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { get } from '../support/http.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitFor } from '../support/wait.ts'
import { startLab } from './lab.ts'

/** Polls once at the start, and then not for the rest of the test. */
const NEVER = neverSchedule()
const ONCE = `poll: {schedule: "${NEVER}"}\nproviders: {schedule: ""}\nforecast: {schedule: "${NEVER}"}`
const systemAt = (url: string) =>
  `systems: [{name: a, base_url: "${url}", auth: {username: monitor, password: emulator}}]`

describe('a good guest', () => {
  test('asks once for each pool and poll, and logs in once, whatever number of scrapers there are', async () => {
    await using emulator = await startEmulator({ pools: 3 })
    await using lab = await startLab(`${systemAt(emulator.url)}\n${ONCE}`)
    await waitFor(() => emulator.log.count('forecast') === 3, { what: 'the first forecasts' })
    const scrapes = Array.from({ length: 300 }, () => get(`${lab.exporter.url}/metrics`))
    for (const { status } of await Promise.all(scrapes)) expect(status).toBe(200)
    const { log } = emulator
    expect(
      ['login', 'pools', 'nodes', 'forecast'].map((operation) => log.count(operation as 'login')),
    ).toEqual([1, 1, 3, 3])
    expect(log.count()).toBe(8)
  })

  test('keeps to the concurrency and the pace that it was given', async () => {
    await using emulator = await startEmulator({ pools: 12 })
    emulator.setFaults(['slow-headers:0.1@nodes'])
    const limits = 'limits: {concurrency: 2, requests_per_second: 20}'
    const began = Date.now()
    await using lab = await startLab(`${systemAt(emulator.url)}\n${ONCE}\n${limits}`)
    await waitFor(() => emulator.log.count('forecast') === 12, { what: 'all polls and forecasts' })
    expect(emulator.log.mostAtOnce()).toBeLessThanOrEqual(2)
    // A request may arrive long after it was sent, but never before its turn, 50 ms after that of the one before.
    const requests = emulator.log.requests()
    expect(requests.length).toBeGreaterThan(20)
    for (const [index, { time }] of requests.entries())
      expect(time - began).toBeGreaterThanOrEqual(index * 49)
    expect(
      (await lab.scrape()).filter(({ name, value }) => name === 'sds_pool_up' && value === 1),
    ).toHaveLength(12)
  })

  test('a pool that the system lists later appears, and one that it no longer lists goes', async () => {
    await using emulator = await startEmulator({ pools: 2 })
    const [first, second] = emulator.pools
    emulator.setFaults(['vanished-node@pools'])
    await using lab = await startLab(
      `${systemAt(emulator.url)}\npoll: {schedule: "* * * * * *", max_random_delay: 0s}\ndiscovery: {schedule: "* * * * * *"}\nproviders: {schedule: ""}`,
    )
    const up = (pool: string | undefined) => lab.value('sds_pool_up', { pool_id: pool ?? '' })
    await waitFor(async () => (await up(first?.id)) === 1, { what: 'the pool that is listed' })
    expect(await up(second?.id)).toBeUndefined()
    emulator.setFaults([])
    await waitFor(async () => (await up(second?.id)) === 1, { what: 'the pool that appears' })
    emulator.setFaults(['vanished-node@pools'])
    await waitFor(async () => (await up(second?.id)) === undefined, { what: 'the pool that vanishes' })
    const text = JSON.stringify(await lab.scrape())
    expect(text).not.toContain(second?.id)
    expect(text).not.toContain(second?.name)
    expect(await up(first?.id)).toBe(1)
  })
})
