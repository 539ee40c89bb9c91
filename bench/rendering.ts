import { Gauge, Registry } from 'prom-client'
import { renderPart } from '../src/metrics/exposition.ts'
import { FEED_FAMILIES } from '../src/metrics/families.ts'
import { createPage } from '../src/metrics/page.ts'
import { feedSamples, forecastSamples } from '../src/metrics/samples.ts'
import { parseExposition, type Series } from '../test/metrics/exposition_text.ts'
import { compare, timed } from './figures.ts'
import type { PoolFixture } from './fleet.ts'

const ROUNDS = 15

/** One poll of every pool, from decoded nodes to the text of the page. */
function renderOurs(fleet: readonly PoolFixture[]): Buffer {
  const parts = fleet.flatMap(({ id, reading }) => {
    const labels = { system: 'bench', poolId: id, pool: reading.nodes[0]?.poolName ?? id }
    const forecasts = new Map(reading.nodes.map((node) => [node.id, node.forecasts]))
    return [renderPart(feedSamples(reading, labels)), renderPart(forecastSamples(reading, forecasts, labels))]
  })
  return createPage(parts).identity('text')
}

/** The same samples, given to a fresh registry of prom-client, and its text. */
async function renderTheirs(series: readonly Series[]): Promise<string> {
  const registry = new Registry()
  const gauges = new Map(
    FEED_FAMILIES.map(({ name, help, labels }) => [
      name,
      new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
    ]),
  )
  for (const { name, labels, value } of series) gauges.get(name)?.set(labels, value)
  return registry.metrics()
}

/** How long our rendering takes, and prom-client's. */
export async function compareRendering(fleet: readonly PoolFixture[]) {
  const text = renderOurs(fleet).toString()
  const series = parseExposition(text)
  if ((await renderTheirs(series)) !== text)
    throw new Error('the two renderings differ: the comparison would be idle')
  const figures = await compare(
    ROUNDS,
    () => timed(() => renderOurs(fleet)),
    () => timed(() => renderTheirs(series)),
  )
  return { ...figures, series: series.length, bytes: Buffer.byteLength(text) }
}
