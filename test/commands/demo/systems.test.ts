import { expect, test } from 'vitest'
import { createDemoSystems, welcomeText } from '../../../src/commands/demo.ts'
import { parseConfig } from '../../../src/config/load.ts'
import type { EmulatorOptions } from '../../../src/emulator/options.ts'
import { call } from '../../emulator/client.ts'

/** Name, version and number of pools of each system of a demo with these options. */
async function systemsOf(options: EmulatorOptions) {
  const systems = createDemoSystems({ pools: 1, nodes: 1, listenAddress: '127.0.0.1:0', ...options })
  await systems.start()
  try {
    const config = parseConfig(systems.config(), { file: 'demo', environment: {} })
    const found = config.systems.map(async ({ name, baseUrls: [url = ''] }) => {
      expect(systems.describe()).toContain(url)
      // Port 0 is a free port for each system; others begin with a port and count up.
      expect(Number(new URL(url).port)).toBeGreaterThan(1023)
      const { text } = await call({ url }, '/vdc/nodes', { headers: { accept: 'application/json' } })
      return `${name} ${/"version":"(\d+\.\d+)/.exec(text)?.[1]}`
    })
    return await Promise.all(found)
  } finally {
    await systems.stop()
  }
}

test('the demo has one system for each source of performance metrics', async () => {
  expect(await systemsOf({})).toEqual(['classic 3.5', 'modern 4.3'])
})

const exporter = { url: 'http://127.0.0.1:9438', adminUrl: 'http://127.0.0.1:9439' }

test('the demo prints what to open and what to try next', () => {
  const text = welcomeText({
    systems: 'SYSTEMS\n',
    scenario: 'healthy',
    metricsPath: '/metrics',
    ...exporter,
  })
  const { url } = exporter
  for (const words of ['SYSTEMS', `${url}/ `, `${url}/metrics`, `${exporter.adminUrl}/`])
    expect(text).toContain(words)
  expect(text).toContain('demo --scenario=node-down')
  expect(text).not.toContain('Scenario healthy')
})
