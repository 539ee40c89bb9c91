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

/** Text as HTML shows it, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? '')
}

/** What a person sees who opens the exporter's address: what it is, where to go, and whether it can do its work. */
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
<li><a href="/-/ready">Ready</a> <span class="quiet">whether every system was tried once</span></li>
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
  const failures = [system.discoveryFailure, ...pools.map(({ lastAttempt }) => lastAttempt?.failure)]
  const words = failures.map((failure) => failure && `<p class="failure">${escapeHtml(failure.message)}</p>`)
  const name = `<span class="name">${escapeHtml(system.name)}</span>`
  return `<li>${name} <span class="quiet">${stateOf(system, pools)}</span>${words.filter(Boolean).join('')}</li>`
}

/** In a few words: how many of the pools could be read in their last poll, and how many nodes they have. */
function stateOf({ tried }: SystemState, pools: readonly PoolState[]): string {
  if (!tried) return 'not asked yet'
  const good = pools.filter(
    ({ lastAttempt }) => lastAttempt !== undefined && lastAttempt.failure === undefined,
  )
  const nodes = pools.reduce((total, { reading }) => total + (reading?.nodes.length ?? 0), 0)
  return `${good.length} of ${counted(pools.length, 'pool')} could be read, ${counted(nodes, 'node')}`
}
