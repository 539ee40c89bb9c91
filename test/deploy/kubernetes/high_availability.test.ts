import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { type Child, startProcess } from '../../support/processes.ts'
import { neverSchedule, WITHOUT_RESOURCES } from '../../support/schedules.ts'
import { waitFor } from '../../support/wait.ts'

/** Polls once at the start, and not again during the test. */
const RARELY = neverSchedule()
const OFTEN = '* * * * * *'

let folder: Folder
let emulator: Child
let system: string

beforeAll(async () => {
  folder = temporaryFolder()
  emulator = await startProcess(process.execPath, ['src/main.ts', 'emulate', '--listen-address=127.0.0.1:0'])
  const [, url] = await emulator.waitForOutput(/system: (http:\S+)/)
  system = url ?? ''
})

afterAll(async () => {
  await emulator.stop()
  folder[Symbol.dispose]()
})

/** An exporter that is ready: it has polled its system. */
async function startExporter(name: string, schedule: string) {
  const config = folder.write(
    `${name}.yml`,
    `systems:
  - {name: one, base_url: "${system}", auth: {username: monitor, password: emulator}}
poll: {schedule: "${schedule}", max_random_delay: 0s}
forecast: {schedule: ""}
providers: {schedule: ""}
discovery: {schedule: "${RARELY}"}
${WITHOUT_RESOURCES}
`,
  )
  const flags = [`--config.file=${config}`, '--web.listen-address=127.0.0.1:0', '--admin.listen-address=']
  const child = await startProcess(process.execPath, ['src/main.ts', 'serve', ...flags])
  const [, url = ''] = await child.waitForOutput(/msg=listening.*url=(\S+)/)
  await waitFor(async () => (await get(`${url}/-/ready`)).status === 200, {
    what: `${name} to be ready`,
    detail: child.stderr,
  })
  return { child, url, [Symbol.asyncDispose]: async () => void (await child.stop()) }
}

async function total(url: string, pattern: RegExp): Promise<number> {
  const { text } = await get(`${url}/metrics`)
  const lines = text.split('\n').filter((line) => pattern.test(line))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

describe('high availability', () => {
  test('scrapes of two Prometheus servers send no request to the storage system', async () => {
    await using exporter = await startExporter('scraped_often', RARELY)
    const requests = () => total(exporter.url, /^sds_api_requests_total\{/)
    // One login, one list of pools, and one poll of each of the two pools.
    await waitFor(async () => (await total(exporter.url, /^sds_pool_up\{/)) === 2, { what: 'all polls' })
    const before = await requests()
    expect(before).toBe(4)
    const server = async () => {
      for (let scrape = 0; scrape < 20; scrape += 1) {
        expect((await get(`${exporter.url}/metrics`)).text).toContain('sds_node_info{system="one"')
      }
    }
    await Promise.all([server(), server()])
    expect(await requests()).toBe(before)
  })

  test('an exporter that stops does not affect another one with the same user', async () => {
    await using stays = await startExporter('stays', OFTEN)
    const leaves = await startExporter('leaves', OFTEN)
    const polls = (result: string) =>
      total(stays.url, new RegExp(`^sds_pool_polls_total\\{.*result="${result}"`))
    expect(await leaves.child.stop()).toEqual({ code: 0, signal: null })
    const seen = await polls('ok')
    await waitFor(async () => (await polls('ok')) > seen + 4, { what: 'more good polls' })
    expect(await total(stays.url, /^sds_pool_polls_total\{(?!.*result="ok")/)).toBe(0)
    expect(await total(stays.url, /^sds_api_logins_total\{/)).toBe(1)
    expect(await total(stays.url, /^sds_system_up\{/)).toBe(1)
  })
})
