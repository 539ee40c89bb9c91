import { expect, test } from 'vitest'
import { startWithEmulator } from '../faults/exporter_setup.ts'
import { getJson } from '../support/http.ts'
import { waitForAssertion } from '../support/wait.ts'

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
