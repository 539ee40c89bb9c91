import type { NodeStatus } from '../../../status/model.ts'
import { healthSeverity } from '../../../status/node_status.ts'
import { counted, percentText } from '../../../text.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { capacity, cell, disks, known, latencies, sampleAge, table } from './elements.ts'

export interface NodeRow {
  readonly node: NodeStatus
  /** Seconds since the epoch by the clock of its system. */
  readonly systemTime: number
  /** Where nodes of several pools are in one table. */
  readonly place?: Html
}

interface Column {
  readonly title: string
  readonly show: (row: NodeRow) => Content
}

const COLUMNS: readonly Column[] = [
  {
    title: 'Health',
    show: ({ node }) =>
      known(node.health, (health) => html`<span class="health ${healthSeverity(health)}">${health}</span>`),
  },
  { title: 'Disks', show: ({ node }) => disks(node) },
  { title: 'Capacity', show: ({ node }) => capacity(node, 'node') },
  { title: 'Errors', show: ({ node }) => known(node.failed_transactions_ratio, percentText) },
  { title: 'Latency', show: ({ node }) => latencies(node) },
  {
    title: 'Newest sample',
    show: ({ node, systemTime }) =>
      known(node.newest_sample_timestamp_seconds, (time) =>
        sampleAge(Math.max(Math.round(systemTime - time), 0)),
      ),
  },
]

/** On a phone, good nodes are folded where there are others. */
export function nodeTable(rows: readonly NodeRow[], caption: string): Html {
  if (rows.length === 0) return html``
  const titles = ['Node', ...COLUMNS.map(({ title }) => title)]
  return html`<div class="nodes">${foldedNodes(rows)}<table><caption class="hidden-text">${caption}</caption>
${table(titles, rows.map(nodeRow))}</table></div>`
}

/** At most so many rows are shown on a phone without folding. */
const UNFOLDED_ROWS = 3

function foldedNodes(rows: readonly NodeRow[]): Html | undefined {
  const good = rows.filter(({ node }) => node.severity === 'ok').length
  if (good === 0 || rows.length <= UNFOLDED_ROWS) return undefined
  return html`<details class="folded" data-key="folded"><summary>${counted(good, 'node')} without findings</summary></details>`
}

function nodeRow(row: NodeRow): Html {
  const { node, place } = row
  const { rack, address } = node
  const places = [place, [rack, address].filter((word) => word !== null).join(', ')].filter(Boolean)
  return html`<tr class="${node.severity}" data-key="${node.id}"><th scope="row">${node.name}${places.map((one) => html` <span class="quiet place">${one}</span>`)}</th>${COLUMNS.map(({ title, show }) => cell(title, show(row)))}</tr>
`
}
