import { expect, test } from 'vitest'
import { visibleLines } from '../../src/text.ts'
import { startWithEmulator } from '../faults/exporter_setup.ts'
import { get, getJson } from '../support/http.ts'
import { waitForAssertion } from '../support/wait.ts'

test('a probe is explained, without secrets', async () => {
  await using setup = await startWithEmulator({ nodes: 1 })
  const { status, headers, text } = await get(`${setup.exporter.url}/probe?system=a&debug=true`)
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
  const [logs = '', metrics = '', configuration = ''] = text.split(/\n(?=Metrics that|Configuration of)/)
  expect(logs).toMatch(/^Logs for the probe, which took \d+\.\d{3} s/)
  expect(logs).toMatch(
    /\nts=\S+ level=debug msg=request system=a operation=nodes host=127\.0\.0\.1:\d+ .*status=200/,
  )
  expect(logs).toMatch(/\nts=\S+ level=debug msg=poll system=a .*outcome=ok/)
  expect(metrics).toContain('\nsds_probe_success{system="a"} 1\n')
  expect(configuration).toContain(`\nbase_url: ${setup.emulator.url}\nauth: username with password\n`)
  // The system may be named vdc-emulator.
  expect(text).not.toMatch(/(?<!vdc-)emulator|monitor/)
  const plain = await get(`${setup.exporter.url}/probe?system=a&debug=false`)
  expect(plain.text).toMatch(/^# HELP /)
  const refused = await get(`${setup.exporter.url}/probe?system=a&debug=yes`)
  expect([refused.status, refused.text]).toEqual([400, 'the parameter debug is true or false\n'])
})

test('names of the system cannot control the terminal that shows a probe', async () => {
  await using setup = await startWithEmulator({ nodes: 3 })
  setup.emulator.setFaults(['hostile-names'])
  const url = `${setup.exporter.url}/probe?system=a`
  const scraped = (await get(url)).text
  expect(scraped).not.toBe(visibleLines(scraped))
  const { text } = await get(`${url}&debug=true`)
  expect(text).toContain('\\u0000')
  expect(text).toBe(visibleLines(text))
})

test('nodes have the rack and the address of the inventory, and systems their versions', async () => {
  await using setup = await startWithEmulator({ nodes: 2, scenario: 'upgrade' })
  const [first] = setup.emulator.pools
  await waitForAssertion(async () => {
    const nodes = (await setup.scrape()).filter(({ name }) => name === 'sds_node_info')
    expect(nodes.filter(({ labels }) => labels['pool_id'] === first?.id)).toMatchObject([
      { labels: { rack: 'rack-1', address: expect.stringMatching(/^[\d.]+$/) } },
      { labels: { rack: 'rack-1', address: expect.stringMatching(/^[\d.]+$/) } },
    ])
  })
  const status = (await getJson(`${setup.exporter.url}/api/v1/status`)) as {
    systems: { software_versions: Record<string, number>; pools: { nodes: object[] }[] }[]
  }
  const [system] = status.systems
  expect(Object.values(system?.software_versions ?? {})).toEqual([2, 2])
  expect(system?.pools[0]?.nodes).toMatchObject([{ rack: 'rack-1' }, { rack: 'rack-1' }])
})
