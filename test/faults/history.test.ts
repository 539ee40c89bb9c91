import { expect, test } from 'vitest'
import { get } from '../support/http.ts'
import { waitFor, waitForAssertion } from '../support/wait.ts'
import { pollEverySecond, startWithEmulator } from './exporter_setup.ts'

const HISTORY = 'history: {enabled: true}'

test.each(['stall@history', 'html@history'])(
  'with the fault %s, polls go on, and the history comes when the fault is over',
  async (fault) => {
    const clock = { ms: Date.now() }
    const options = { historyClock: () => clock.ms }
    await using setup = await startWithEmulator(
      { faults: [fault] },
      `${pollEverySecond('5s')}${HISTORY}`,
      options,
    )
    const { emulator, faulty, healthy, exporter } = setup
    const history = () => get(`${exporter.url}/history?system=a`)
    const messages = () => setup.log.map(({ message }) => message)
    await waitFor(() => messages().includes('history failed'), { what: 'the failure of the history' })
    for (const { id } of [faulty, healthy]) await setup.waitForPolls(id, 'ok', 3)
    await waitForAssertion(async () =>
      expect(await setup.value('sds_pool_up', { pool_id: healthy.id })).toBe(1),
    )
    expect(await history()).toMatchObject({ status: 200, text: '' })
    emulator.setFaults([])
    clock.ms += 300_000
    await waitForAssertion(async () =>
      expect((await history()).text).toMatch(/^sds_node_disk_space_total_bytes\{system="a",pool=/m),
    )
    await waitFor(() => messages().includes('history works again'), { what: 'the log line' })
  },
)

test('a reload turns the history on and off, and keeps the session', async () => {
  await using setup = await startWithEmulator()
  const { emulator, exporter } = setup
  const history = () => get(`${exporter.url}/history?system=a`)
  expect((await history()).status).toBe(404)
  const system = `{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}`
  const text = `systems: [${system}]${pollEverySecond()}`
  setup.configure(`${text}${HISTORY}`)
  await exporter.reload()
  await waitForAssertion(async () => expect((await history()).text).toContain('sds_node_'))
  setup.configure(text)
  await exporter.reload()
  expect((await history()).status).toBe(404)
  expect(emulator.log.logins().granted).toBe(1)
})
