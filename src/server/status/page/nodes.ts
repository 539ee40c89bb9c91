import type { NodeStatus } from '../../../status/model.ts'
import { healthSeverity } from '../../../status/node_status.ts'
import { OLD_SAMPLE_SECONDS } from '../../../status/pool_status.ts'
import { durationText } from '../../../text.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { capacity, disks, known } from './elements.ts'

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
<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(nodeRow)}</tbody></table>`
}

function nodeRow({ node, systemTime, place }: NodeRow): Html {
  return html`<tr class="${node.severity}" data-key="${node.id}">${place === undefined ? undefined : cell('Pool', place)}<th scope="row">${node.name}</th>${[
    cell(
      'Health',
      known(node.health, (health) => html`<span class="health ${healthSeverity(health)}">${health}</span>`),
    ),
    cell('Disks', disks(node)),
    cell('Capacity', capacity(node)),
    cell(
      'Newest sample',
      known(node.newest_sample_timestamp_seconds, (time) => age(systemTime - time)),
    ),
  ]}</tr>
`
}

/** On a phone each cell is a line, with the title of its column. */
function cell(title: string, content: Content): Html {
  return html`<td data-title="${title}">${content}</td>`
}

function age(seconds: number): Html {
  const text = `${durationText(Math.max(Math.round(seconds), 0))} ago`
  return seconds > OLD_SAMPLE_SECONDS ? html`<strong class="bad">${text}</strong>` : html`${text}`
}
