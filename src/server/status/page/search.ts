import type { Status } from '../../../status/model.ts'
import { isNamed } from '../../../status/selection.ts'
import { counted } from '../../../text.ts'
import { type Html, html } from '../../page/html.ts'
import { type NodeRow, nodeTable } from './nodes.ts'
import { poolUrl } from './pool.ts'
import { systemLink } from './system.ts'

/** Rows of one page. */
const FOUND_NODES = 200
const FOUND_PLACES = 50

/** What a search found: systems and pools by their name, and nodes, the worst first within a pool. */
export function searchResults(found: Status, text: string): Html {
  const isWanted = (place: { readonly name: string; readonly id?: string }) => isNamed(place, text)
  const systems = found.systems.filter(isWanted)
  const pools = found.systems.flatMap((system) =>
    system.pools.filter(isWanted).map((pool) => ({ system, pool })),
  )
  const rows: NodeRow[] = []
  let count = 0
  for (const system of found.systems) {
    const systemTime = found.timestamp_seconds + (system.clock_skew_seconds ?? 0)
    for (const pool of system.pools) {
      const nodes = pool.nodes.filter(isWanted)
      count += nodes.length
      const place = html`<a href="${poolUrl(pool, { system })}">${system.name} / ${pool.name}</a>`
      for (const node of nodes.slice(0, FOUND_NODES - rows.length)) rows.push({ node, place, systemTime })
    }
  }
  const total = systems.length + pools.length + count
  return html`<section class="card" aria-label="Search"><h2>Search for “${text}”</h2><p role="status">${summary(systems.length, pools.length, count)}</p>
${systems.slice(0, FOUND_PLACES).map(systemLink)}${pools.slice(0, FOUND_PLACES).map(({ system, pool }) => html`<p><a href="${poolUrl(pool, { system })}">${system.name} / ${pool.name}</a> <span class="words">${pool.summary}</span></p>`)}
${nodeTable(rows, 'Nodes found')}${count > rows.length ? html`<p class="quiet">${rows.length} of ${counted(count, 'node')} shown: search for more of the name</p>` : undefined}${total === 0 ? html`<p>Part of a name or id is enough; upper and lower case are the same. <a href="/">Show all systems</a></p>` : undefined}</section>`
}

function summary(systems: number, pools: number, nodes: number): string {
  if (systems + pools + nodes === 0) return 'Nothing found.'
  return `Found ${[
    systems > 0 ? counted(systems, 'system') : '',
    pools > 0 ? counted(pools, 'pool') : '',
    nodes > 0 ? counted(nodes, 'node') : '',
  ]
    .filter((text) => text !== '')
    .join(', ')}.`
}
