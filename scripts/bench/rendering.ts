import { Gauge, Registry } from 'prom-client'
import { createExposition } from '../../src/metrics/exposition.ts'
import { FEED_FAMILIES } from '../../src/metrics/families.ts'
import { renderPart } from '../../src/metrics/lines.ts'
import { feedSamples, forecastSamples } from '../../src/metrics/samples.ts'
import { parseExposition, type Sample } from '../../test/metrics/exposition_text.ts'
import { compare, timed } from './comparison/figures.ts'
import type { PoolFixture } from './fleet.ts'

const ROUNDS = 15

/** Renders one poll of all pools, from decoded nodes to the text of the page. */
function renderExporter(fleet: readonly PoolFixture[]): Buffer {
  const parts = fleet.flatMap(({ id, reading }) => {
    const labels = { system: 'bench', poolId: id, pool: reading.nodes[0]?.poolName ?? id }
    const forecasts = new Map(reading.nodes.map((node) => [node.id, node.forecasts]))
    return [renderPart(feedSamples(reading, labels)), renderPart(forecastSamples(reading, forecasts, labels))]
  })
  return Buffer.from(createExposition(parts).text('text'))
}

/** Renders the same samples with a new registry of prom-client. */
async function renderReference(series: readonly Sample[]): Promise<string> {
  const registry = new Registry()
  const names = new Set(series.map(({ name }) => name))
  const gauges = new Map(
    FEED_FAMILIES.filter(({ name }) => names.has(name)).map(({ name, help, labels }) => [
      name,
      new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
    ]),
  )
  for (const { name, labels, value } of series) gauges.get(name)?.set(labels, value)
  return registry.metrics()
}

/** Compares the duration of rendering with that of prom-client. */
export async function compareRendering(fleet: readonly PoolFixture[]) {
  const text = renderExporter(fleet).toString()
  const series = parseExposition(text)
  if ((await renderReference(series)) !== text)
    throw new Error('the two renderings differ, so their durations cannot be compared')
  const figures = await compare(
    ROUNDS,
    () => timed(() => renderExporter(fleet)),
    () => timed(() => renderReference(series)),
  )
  return { ...figures, series: series.length, bytes: Buffer.byteLength(text) }
}
