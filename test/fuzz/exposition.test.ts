import { expect } from 'vitest'
import { createExposition } from '../../src/metrics/exposition.ts'
import { boundedName } from '../../src/values/names.ts'
import { parseExposition, type Sample } from '../metrics/exposition_text.ts'
import { fuzz } from './support/fuzz.ts'
import { bodies, type RenderedSystem, renderedSystem } from './support/rendered_system.ts'

fuzz('the exposition of what was decoded', {
  corpus: 'systems',
  input: bodies,
  runs: 25,
  check: (json) => {
    const system = renderedSystem('a', json)
    const exposition = createExposition(system.parts)
    const series = parseExposition(exposition.text('text'))
    expect(parseExposition(exposition.text('openmetrics'))).toEqual(series)
    expect(series.length).toBe(exposition.series)
    checkSeries(series)
    checkHeaders(
      exposition.text('text'),
      /^(?:# HELP (\S+) [^\n]+\n# TYPE \1 (?:gauge|counter)\n(?:\1(?:\{[^\n]*\})? \S+\n)+\n?)*$/,
    )
    checkHeaders(
      exposition.text('openmetrics'),
      /^(?:# HELP (\S+) [^\n]+\n# TYPE \1 (?:gauge|counter)\n(?:# UNIT \1 \w+\n)?(?:\1(?:_total)?(?:\{[^\n]*\})? \S+\n)+)*$/,
    )
    checkLabels(series, system)
  },
})

function checkSeries(series: readonly Sample[]): void {
  const keys = series.map(({ name, labels }) => JSON.stringify([name, Object.entries(labels).sort()]))
  expect(new Set(keys).size).toBe(keys.length)
  for (const { value } of series) expect(Number.isFinite(value)).toBe(true)
}

/** One header for each family, directly before all its series. */
function checkHeaders(text: string, pattern: RegExp): void {
  expect(pattern.test(text)).toBe(true)
  const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  expect(new Set(families).size).toBe(families.length)
}

/** The ids of pools, nodes and providers are found in the labels. */
function checkLabels(series: readonly Sample[], { state }: RenderedSystem): void {
  const valuesOf = (family: string, label: string) =>
    series.filter(({ name }) => name === family).map(({ labels }) => labels[label])
  const pools = [...state.pools.values()]
  const nodes = pools.flatMap(({ reading }) => reading?.nodes ?? [])
  const providers = state.inventory?.providers ?? []
  const names = (ids: readonly string[]) => ids.map((id) => boundedName(id).toWellFormed())
  expect(valuesOf('sds_pool_info', 'pool_id')).toEqual(pools.map(({ ref }) => ref.id))
  expect(valuesOf('sds_node_info', 'node_id')).toEqual(nodes.map(({ id }) => id))
  expect(valuesOf('sds_authn_provider_info', 'provider_id')).toEqual([
    ...new Set(names(providers.map(({ id }) => id))),
  ])
}
