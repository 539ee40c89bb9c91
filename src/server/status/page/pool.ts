import { healthSeverity, type NodeStatus } from '../../../status/node_status.ts'
import { type AttributeStatus, nodesText, type PoolStatus } from '../../../status/pool_status.ts'
import type { Recent } from '../../../status/recent.ts'
import { queryOf } from '../../../status/selection.ts'
import type { Problem } from '../../../status/states.ts'
import type { SystemStatus } from '../../../status/system_status.ts'
import { counted, forecastText, percentText } from '../../../text.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { charts } from './charts.ts'
import {
  capacity,
  cell,
  disks,
  known,
  latencies,
  moreOf,
  parts,
  relativeTime,
  sampleAge,
  statePill,
  table,
  wideFact,
} from './elements.ts'

export interface SystemContext {
  readonly system: SystemStatus
  readonly recent: Recent
  /** Problems of the system and its pools. */
  readonly problems: readonly Problem[]
  /** Seconds since the epoch. */
  readonly now: number
}

const NODES_OF_POOL = 20
const NODES_OF_PAGE = 500

/** A pool with its nodes. @param shown `alone`: on its own page */
export function poolDetails(
  pool: PoolStatus,
  context: SystemContext,
  shown: 'closed' | 'open' | 'alone',
): Html {
  const isAlone = shown === 'alone'
  const name = html`<span class="name">${isAlone ? html`<h2>${pool.name}</h2>` : pool.name}</span>`
  const isWhole = isAlone || hasColumns(context)
  return html`<details class="pool ${pool.state}" data-key="pool ${pool.id}"${shown !== 'closed' && html` open`}><summary>${poolLine(pool, name, context, isWhole)}</summary>
${poolBody(pool, context, isWhole, isAlone)}</details>
`
}

export function poolLink(pool: PoolStatus, context: SystemContext): Html {
  const name = html`<a class="name" href="${poolUrl(pool, context)}">${pool.name}</a>`
  return html`<div class="pool link ${pool.state}" data-key="pool ${pool.id}">${poolLine(pool, name, context, hasColumns(context))}</div>
`
}

export function poolUrl(pool: PoolStatus, { system }: Pick<SystemContext, 'system'>): string {
  return `/${queryOf({ system: system.name, pool: pool.id })}`
}

/** Of several pools the largest one is shown. */
export const WORST = ['failed_transactions_ratio', 'read_latency_seconds', 'write_latency_seconds'] as const
type Shown = (typeof WORST)[number] | 'forecast_seconds' | 'forecast_target_percent'

/** What is shown of a pool, and of the pools of a system together. */
interface Values extends Pick<PoolStatus, 'totals'> {
  readonly figures: Pick<PoolStatus['figures'], Shown>
}

/** Text in the colour of a problem with one of these alerts. */
type Mark = (alerts: readonly string[], text: Content) => Content

export const markOf =
  (problems: readonly Problem[]): Mark =>
  (alerts, text) => {
    const problem = problems.find(({ alert }) => alert !== null && alerts.includes(alert))
    return problem === undefined ? text : html`<strong class="${problem.severity}">${text}</strong>`
  }

/** The alerts of problems that are shown in each column. */
const ERRORS = [
  'SdsSystemErrorsCritical',
  'SdsTransactionErrorsCritical',
  'SdsSystemErrors',
  'SdsTransactionErrors',
]
/** A pool that is nearly full has no problem of its forecast: the alerts are inhibited. */
const FORECASTS = ['SdsForecastCritical', 'SdsForecastShort', 'SdsCapacityCritical', 'SdsCapacityHigh']
const LATENCIES = { read: ['SdsReadLatencyHigh'], write: ['SdsWriteLatencyHigh'] } as const

/** What is shown by title, at the same positions in all pools. */
export const POOL_COLUMNS: Readonly<Record<string, (values: Values, marked: Mark) => Content>> = {
  Nodes: ({ totals }) => parts(nodesText(totals).split(', ')),
  Disks: ({ totals }) => disks(totals),
  Capacity: ({ totals }) => capacity(totals),
  Forecast: ({ figures: { forecast_seconds: seconds, forecast_target_percent: target } }, marked) =>
    known(seconds, (value) => marked(FORECASTS, forecastText(value, target))),
  Errors: ({ figures }, marked) =>
    known(figures.failed_transactions_ratio, (ratio) => marked(ERRORS, percentText(ratio))),
  Latency: ({ figures }, marked) => latencies(figures, (name, text) => marked(LATENCIES[name], text)),
}

/** Titles above the pools. */
export const poolHead = html`<div class="line head" aria-hidden="true"><span>Pool</span>${Object.keys(POOL_COLUMNS).map((title) => html`<span>${title}</span>`)}<span class="when">Last poll</span></div>
`

/** What the columns do not say: that the pool is not polled yet, cannot be polled, or is empty. */
function stateText({ last_poll: poll, summary, totals }: PoolStatus): Html | undefined {
  if (poll?.result === 'ok' && totals.nodes > 0) return undefined
  return html`<span class="words">${summary}</span>`
}

/** The facts and charts of a system with one pool are those of the pool. */
const hasColumns = ({ system }: SystemContext) => system.pools.length > 1

function poolLine(pool: PoolStatus, name: Html, context: SystemContext, isWhole: boolean): Html {
  const { now, problems } = context
  const { totals, last_poll: poll } = pool
  const marked = markOf(problems.filter(({ pool_id }) => pool_id === pool.id))
  const cells = isWhole && totals.nodes > 0 ? Object.entries(POOL_COLUMNS) : []
  return html`<span class="line"><span>${name} ${statePill(pool.state)}</span>${stateText(pool)}
${cells.map(([title, show]) => html`<span class="cell" data-title="${title}">${show(pool, marked)}</span>`)}
${isWhole ? html`<span class="when quiet">${known(poll, ({ timestamp_seconds }) => relativeTime(timestamp_seconds, now))}</span>` : undefined}</span>`
}

function poolBody(pool: PoolStatus, context: SystemContext, isWhole: boolean, isAlone: boolean): Html {
  const { system, recent, now } = context
  const history = isWhole ? recent.pool(system.name, pool.id) : undefined
  const nodes = pool.nodes.slice(0, isAlone ? NODES_OF_PAGE : NODES_OF_POOL)
  const more = moreOf(pool.nodes.length, nodes.length, 'node', isAlone ? undefined : poolUrl(pool, context))
  const systemTime = now + (system.clock_skew_seconds ?? 0)
  return html`<div class="body">${lastError(pool, now)}<dl class="facts">${wideFact('Pool id', html`<code>${pool.id}</code>`)}</dl>
${history === undefined ? undefined : charts(history, system.polls)}
${nodeTable(
  nodes.map((node) => ({ node, systemTime })),
  `Nodes of pool ${pool.name}`,
)}${more}
${coverageTable(pool)}</div>`
}

/** The last error: that of the last poll, or an earlier one. */
function lastError(pool: PoolStatus, now: number): Html | undefined {
  const { last_error: error, last_poll: poll } = pool
  if (error === null) return undefined
  const isCurrent = poll !== null && poll.result !== 'ok'
  const { message, remedy, timestamp_seconds: at } = error
  return html`<div class="error-box ${isCurrent ? 'current' : 'past'}"><p><strong>Last ${isCurrent ? 'poll failed' : 'error'}</strong> ${relativeTime(at, now)}: ${message}</p><p><strong>What to do:</strong> ${remedy}.</p></div>`
}

const SOURCE_WORDS = { feed: 'dashboard API', query: 'Flux API' } as const

const TITLES = ['Category', 'Source', 'Newest sample', 'Served', 'Not served by this system']

function coverageTable({ categories, attributes }: PoolStatus): Html | undefined {
  if (attributes.length === 0) return undefined
  const of = (category: AttributeStatus['category']) => attributes.filter((one) => one.category === category)
  const rows = [
    coverageRow('identity and health', null, of(null)),
    ...categories.map(({ category, newest_sample_age_seconds: age }) =>
      coverageRow(category, age, of(category)),
    ),
  ]
  const served = attributes.filter((one) => one.served > 0).length
  const summary = `${served} of ${attributes.length} attributes available`
  return html`<details class="coverage" data-key="coverage"><summary>${summary}</summary><table>${table(TITLES, rows)}</table></details>`
}

function coverageRow(name: string, age: number | null, attributes: readonly AttributeStatus[]): Html {
  const sources = [...new Set(attributes.flatMap(({ source }) => source ?? []))]
  const present = attributes.filter(({ served, unreadable }) => served + unreadable > 0)
  const missing = attributes.filter((one) => !present.includes(one))
  const gaps = present.flatMap(({ name, served, absent, unreadable }) => {
    const nodes = served + absent + unreadable
    const words = unreadable > 0 ? `, ${unreadable} unreadable` : ''
    return served === nodes ? [] : `${name} (${served} of ${counted(nodes, 'node')}${words})`
  })
  return html`<tr><th scope="row">${name}</th>${[
    cell('Source', sources.map((source) => SOURCE_WORDS[source]).join(', ') || 'none'),
    cell('Newest sample', known(age, sampleAge)),
    cell('Served', [
      `${present.length} of ${attributes.length}`,
      gaps.length > 0 && html`<br>not of all nodes: ${gaps.join(', ')}`,
    ]),
    cell('Not served', missing.map((one) => one.name).join(', ')),
  ]}</tr>`
}

export interface NodeRow {
  readonly node: NodeStatus
  /** Seconds since the epoch by the clock of its system. */
  readonly systemTime: number
  /** Where nodes of several pools are in one table. */
  readonly place?: Html
}

const NODE_COLUMNS: Readonly<Record<string, (row: NodeRow) => Content>> = {
  Health: ({ node }) =>
    known(node.health, (health) => html`<span class="health ${healthSeverity(health)}">${health}</span>`),
  Disks: ({ node }) => disks(node),
  Capacity: ({ node }) => capacity(node, 'node'),
  Errors: ({ node }) => known(node.failed_transactions_ratio, percentText),
  Latency: ({ node }) => latencies(node),
  'Newest sample': ({ node, systemTime }) =>
    known(node.newest_sample_timestamp_seconds, (time) =>
      sampleAge(Math.max(Math.round(systemTime - time), 0)),
    ),
}

/** On a phone, good nodes are folded where there are others. */
export function nodeTable(rows: readonly NodeRow[], caption: string): Html {
  if (rows.length === 0) return html``
  const titles = ['Node', ...Object.keys(NODE_COLUMNS)]
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
  return html`<tr class="${node.severity}" data-key="${node.id}"><th scope="row">${node.name}${places.map((one) => html` <span class="quiet place">${one}</span>`)}</th>${Object.entries(NODE_COLUMNS).map(([title, show]) => cell(title, show(row)))}</tr>
`
}
