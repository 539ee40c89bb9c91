/**
 * Writes the example of docs/status.md: the answer of /api/v1/status in a run of the emulator, with shortened lists.
 * Then run `npm run generate`.
 *
 *   npm run status:example
 */
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseConfig } from '../src/config/load.ts'
import { createEmulator } from '../src/emulator/emulator.ts'
import { createExporter } from '../src/exporter/exporter.ts'
import { silentLog } from '../src/log.ts'
import type { Status } from '../src/status/model.ts'
import { STATUS_EXAMPLE } from './generators/status_reference.ts'

const emulator = createEmulator({
  listenAddress: '127.0.0.1:0',
  profile: 'classic',
  scenario: 'disk-failures',
  pools: 1,
  nodes: 2,
})
await emulator.start()
const exporter = createExporter({
  load: () =>
    parseConfig(
      `systems: [{name: frankfurt, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}]`,
      { file: 'example', environment: {} },
    ),
  version: '0.1.0',
  listenAddress: '127.0.0.1:0',
  lifecycle: false,
  log: silentLog,
})
await exporter.start()
writeFileSync(
  new URL(`../${STATUS_EXAMPLE}`, import.meta.url),
  `${JSON.stringify(shortened(await polled()), undefined, 2)}\n`,
)
await exporter.stop()
await emulator.stop()

/** The status after the first poll and the list of providers. */
async function polled(): Promise<Status> {
  for (;;) {
    const status = (await (await fetch(`${exporter.url}/api/v1/status`)).json()) as Status
    if (status.systems[0]?.authentication_providers != null) return status
    await sleep(100)
  }
}

function shortened(status: Status): Status {
  return {
    ...status,
    systems: status.systems.map((system) => ({
      ...system,
      // The port of the run is a free one.
      base_urls: system.base_urls.map((one) => ({ ...one, url: 'https://ecs1.example.net:4443' })),
      pools: system.pools.map((pool) => ({
        ...pool,
        categories: pool.categories.slice(1, 3),
        attributes: pool.attributes.slice(0, 1),
        nodes: pool.nodes.slice(0, 1),
      })),
    })),
  }
}
