import { lacksPerformance } from '../../api/query/merge.ts'
import { failureState } from '../../api/query/states.ts'
import { counted } from '../../counted.ts'
import type { PoolState, SystemState } from '../../poller/state.ts'

export interface LandingPage {
  readonly version: string
  readonly systems: () => readonly SystemState[]
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? '')
}

/** HTML of `GET /`: version, links and the state of each system. */
export function renderLandingPage({ version, systems }: LandingPage, style: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>sds-exporter</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
<h1>sds-exporter</h1>
<p class="quiet">Prometheus exporter for storage systems that speak the SDS management API. Version ${escapeHtml(version)}.</p>
<div class="card">
<h2>Pages</h2>
<ul>
<li><a href="/metrics">Metrics</a> <span class="quiet">for Prometheus</span></li>
<li><a href="/-/healthy">Healthy</a> <span class="quiet">whether the exporter runs</span></li>
<li><a href="/-/ready">Ready</a> <span class="quiet">whether every system was polled once</span></li>
</ul>
</div>
<div class="card">
<h2>Systems</h2>
<ul>
${systems().map(systemItem).join('\n')}
</ul>
</div>
</main>
</body>
</html>
`
}

function systemItem(system: SystemState): string {
  const pools = [...system.pools.values()]
  const failures = [
    system.discoveryFailure,
    ...pools.map(({ lastAttempt }) => lastAttempt?.failure),
    system.performance?.failure,
  ]
  const messages = failures.map(
    (failure) => failure && `<p class="failure">${escapeHtml(failure.message)}</p>`,
  )
  const name = `<span class="name">${escapeHtml(system.name)}</span>`
  const state = [stateOf(system, pools), queryState(system, pools)].filter((text) => text !== '').join('; ')
  return `<li>${name} <span class="quiet">${state}</span>${messages.filter(Boolean).join('')}</li>`
}

/** How many pools were read in their last poll, and how many nodes they have. */
function stateOf({ tried }: SystemState, pools: readonly PoolState[]): string {
  if (!tried) return 'not polled yet'
  const good = pools.filter(
    ({ lastAttempt }) => lastAttempt !== undefined && lastAttempt.failure === undefined,
  )
  const nodes = pools.reduce((total, { reading }) => total + (reading?.nodes.length ?? 0), 0)
  return `${good.length} of ${counted(pools.length, 'pool')} read, ${counted(nodes, 'node')}`
}

/** The state of the query interface; empty before the first poll of a pool. */
function queryState({ performance }: SystemState, pools: readonly PoolState[]): string {
  const readings = pools.flatMap(({ reading }) => reading ?? [])
  if (performance === undefined) {
    if (readings.length === 0) return ''
    return readings.some(lacksPerformance)
      ? 'query interface: not polled'
      : 'query interface: not needed, the feed has performance figures'
  }
  const { failure, reading } = performance
  if (failure !== undefined) return `query interface: ${failureState(failure.reason)}`
  const nodes = reading?.nodes.length ?? 0
  return `query interface: ${nodes === 0 ? 'no current data' : `available, ${counted(nodes, 'node')}`}`
}
