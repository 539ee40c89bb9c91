import type { NodeStatus } from '../../../status/model.ts'
import { healthSeverity } from '../../../status/node_status.ts'
import { type Html, html } from '../../page/html.ts'
import { capacity, cell, disks, known, sampleAge, table } from './elements.ts'

export interface NodeRow {
  readonly node: NodeStatus
  /** Seconds since the epoch by the clock of its system. */
  readonly systemTime: number
  /** Where nodes of several pools are in one table. */
  readonly place?: Html
}

const TITLES = ['Node', 'Health', 'Disks', 'Capacity', 'Newest sample']

export function nodeTable(rows: readonly NodeRow[], caption: string): Html {
  const [first] = rows
  if (first === undefined) return html``
  const titles = first.place === undefined ? TITLES : ['Pool', ...TITLES]
  return html`<table class="nodes"><caption class="hidden-text">${caption}</caption>
${table(titles, rows.map(nodeRow))}</table>`
}

function nodeRow({ node, systemTime, place }: NodeRow): Html {
  return html`<tr class="${node.severity}" data-key="${node.id}">${place === undefined ? undefined : cell('Pool', place)}<th scope="row">${node.name}${placeOf(node)}</th>${[
    cell(
      'Health',
      known(node.health, (health) => html`<span class="health ${healthSeverity(health)}">${health}</span>`),
    ),
    cell('Disks', disks(node)),
    cell('Capacity', capacity(node)),
    cell(
      'Newest sample',
      known(node.newest_sample_timestamp_seconds, (time) =>
        sampleAge(Math.max(Math.round(systemTime - time), 0)),
      ),
    ),
  ]}</tr>
`
}

function placeOf({ rack, address }: NodeStatus): Html | undefined {
  const words = [rack, address].filter((word) => word !== null)
  return words.length === 0 ? undefined : html` <span class="quiet place">${words.join(', ')}</span>`
}
