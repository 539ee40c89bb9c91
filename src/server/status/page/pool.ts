import type { PoolStatus, SystemStatus } from '../../../status/model.ts'
import { nodesText } from '../../../status/pool_status.ts'
import type { Recent } from '../../../status/recent.ts'
import { queryOf } from '../../../status/selection.ts'
import type { Problem } from '../../../status/states.ts'
import { forecastText, percentText } from '../../../text.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { charts } from './charts.ts'
import { coverageTable } from './coverage.ts'
import {
  capacity,
  disks,
  known,
  latencies,
  moreOf,
  parts,
  relativeTime,
  statePill,
  wideFact,
} from './elements.ts'
import { nodeTable } from './nodes.ts'

export interface PoolContext {
  readonly system: SystemStatus
  readonly recent: Recent
  /** The problems of each pool, by its id. */
  readonly problems: ReadonlyMap<string | null, readonly Problem[]>
  /** Seconds since the epoch. */
  readonly now: number
}

/** In a list of pools. */
const NODES_OF_POOL = 20

/** A pool that can be opened. */
export function poolDetails(pool: PoolStatus, isOpen: boolean, context: PoolContext): Html {
  return html`<details class="pool ${pool.state}" data-key="pool ${pool.id}"${isOpen ? html` open` : undefined}><summary>${poolLine(pool, html`<span class="name">${pool.name}</span>`, context)}</summary>
${poolBody(pool, context)}</details>
`
}

/** A pool that is a link to its own page, or the heading of that page. */
export function poolLink(pool: PoolStatus, context: PoolContext, isHeading = false): Html {
  const name = isHeading
    ? html`<h2 class="name">${pool.name}</h2>`
    : html`<a class="name" href="${poolUrl(pool, context)}">${pool.name}</a>`
  return html`<div class="pool link ${pool.state}" data-key="pool ${pool.id}">${poolLine(pool, name, context, isHeading || hasColumns(context))}</div>
`
}

export function poolUrl(pool: PoolStatus, { system }: Pick<PoolContext, 'system'>): string {
  return `/${queryOf({ system: system.name, pool: pool.id })}`
}

interface PoolColumn {
  readonly title: string
  readonly show: (pool: PoolStatus, marked: Mark) => Content
}

/** Text in the colour of a problem of the pool with one of these alerts. */
export type Mark = (alerts: readonly string[], text: Content) => Content

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
const LATENCIES: Readonly<Record<string, string>> = {
  read: 'SdsReadLatencyHigh',
  write: 'SdsWriteLatencyHigh',
}

export const forecast = (seconds: number, targetPercent: number, marked: Mark): Content =>
  marked(FORECASTS, forecastText(seconds, targetPercent))
export const errors = (ratio: number, marked: Mark): Content => marked(ERRORS, percentText(ratio))
export const markedLatencies = (values: Parameters<typeof latencies>[0], marked: Mark): Content =>
  latencies(values, (name, text) => marked([LATENCIES[name] ?? ''], text))

export const nodes = (totals: PoolStatus['totals']): Content => parts(nodesText(totals).split(', '))

/** The same positions in all pools. */
const COLUMNS: readonly PoolColumn[] = [
  { title: 'Nodes', show: ({ totals }) => nodes(totals) },
  { title: 'Disks', show: ({ totals }) => disks(totals) },
  { title: 'Capacity', show: ({ totals }) => capacity(totals) },
  {
    title: 'Forecast',
    show: ({ figures: { forecast_seconds: seconds, forecast_target_percent: target } }, marked) =>
      known(seconds, (value) => forecast(value, target, marked)),
  },
  {
    title: 'Errors',
    show: ({ figures }, marked) => known(figures.failed_transactions_ratio, (ratio) => errors(ratio, marked)),
  },
  { title: 'Latency', show: ({ figures }, marked) => markedLatencies(figures, marked) },
]

/** Titles above the pools. */
export const poolHead = html`<div class="line head" aria-hidden="true"><span>Pool</span>${COLUMNS.map(({ title }) => html`<span>${title}</span>`)}<span class="when">Last poll</span></div>
`

/** What the columns do not say: that the pool is not polled yet, cannot be polled, or is empty. */
function stateText({ last_poll: poll, summary, totals }: PoolStatus): Html | undefined {
  if (poll?.result === 'ok' && totals.nodes > 0) return undefined
  return html`<span class="words">${summary}</span>`
}

/** The facts and charts of a system with one pool are those of the pool. */
const hasColumns = ({ system }: PoolContext) => system.pools.length > 1

function poolLine(pool: PoolStatus, name: Html, context: PoolContext, isWhole = hasColumns(context)): Html {
  const { now, problems } = context
  const { totals, last_poll: poll } = pool
  const marked = markOf(problems.get(pool.id) ?? [])
  const cells = isWhole && totals.nodes > 0 ? COLUMNS : []
  return html`<span class="line"><span>${name} ${statePill(pool.state)}</span>${stateText(pool)}
${cells.map(({ title, show }) => html`<span class="cell" data-title="${title}">${show(pool, marked)}</span>`)}
${isWhole ? html`<span class="when quiet">${known(poll, ({ timestamp_seconds }) => relativeTime(timestamp_seconds, now))}</span>` : undefined}</span>`
}

/** @param listed nodes on the page of the pool; undefined: below its system */
export function poolBody(pool: PoolStatus, context: PoolContext, listed?: number): Html {
  const { system, recent, now } = context
  const isOwnPage = listed !== undefined
  const history = isOwnPage || hasColumns(context) ? recent.pool(system.name, pool.id) : undefined
  const nodes = pool.nodes.slice(0, listed ?? NODES_OF_POOL)
  const more = moreOf(pool.nodes.length, nodes.length, 'node', isOwnPage ? undefined : poolUrl(pool, context))
  const systemTime = now + (system.clock_skew_seconds ?? 0)
  return html`<div class="body">${lastError(pool, now)}<dl class="facts">${poolFacts(pool, now)}</dl>
${history === undefined ? undefined : charts(history, system.polls)}
${nodeTable(
  nodes.map((node) => ({ node, systemTime })),
  `Nodes of pool ${pool.name}`,
)}${more}
${coverageTable(pool)}</div>`
}

function poolFacts(pool: PoolStatus, now: number): Html[] {
  const { last_poll: poll, values_until_timestamp_seconds: until } = pool
  const stale =
    poll === null || poll.result === 'ok' || until === null
      ? []
      : [wideFact('Values end', html`${relativeTime(until, now)}, unless a poll succeeds`)]
  return [...stale, wideFact('Pool id', html`<code>${pool.id}</code>`)]
}

/** The last error: that of the last poll, or an earlier one. */
function lastError(pool: PoolStatus, now: number): Html | undefined {
  const { last_error: error, last_poll: poll } = pool
  if (error === null) return undefined
  const isCurrent = poll !== null && poll.result !== 'ok'
  const { message, remedy, timestamp_seconds: at } = error
  return html`<div class="error-box ${isCurrent ? 'current' : 'past'}"><p><strong>Last ${isCurrent ? 'poll failed' : 'error'}</strong> ${relativeTime(at, now)}: ${message}</p><p><strong>What to do:</strong> ${remedy}.</p></div>`
}
