import type { PoolStatus, SystemStatus } from '../../../status/model.ts'
import type { Recent } from '../../../status/recent/recent.ts'
import { queryOf } from '../../../status/selection.ts'
import type { Problem } from '../../../status/states.ts'
import { counted, durationText, latencyText, percentText } from '../../../text.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { charts, POOL_CHARTS } from './charts.ts'
import { coverageTable } from './coverage.ts'
import { capacity, disks, dueTime, errorBox, fact, known, relativeTime, statePill } from './elements.ts'
import { nodeTable } from './nodes.ts'

export interface PoolContext {
  readonly system: SystemStatus
  readonly recent: Recent
  /** The problems of each pool, by its id. */
  readonly problems: ReadonlyMap<string | null, readonly Problem[]>
  /** Seconds since the epoch. */
  readonly now: number
}

/** The nodes of a pool that are shown. */
interface ShownNodes {
  readonly from: number
  readonly count: number
  /** Below the table. */
  readonly more: Content
}

/** A pool that can be opened. */
export function poolDetails(
  pool: PoolStatus,
  shown: ShownNodes,
  isOpen: boolean,
  context: PoolContext,
): Html {
  return html`<details class="pool" data-key="pool ${pool.id}"${isOpen ? html` open` : undefined}><summary>${poolLine(pool, html`<span class="name">${pool.name}</span>`, context)}</summary>
${poolBody(pool, shown, context)}</details>
`
}

/** A pool that is a link to its own page. */
export function poolLink(pool: PoolStatus, context: PoolContext): Html {
  const name = html`<a class="name" href="${poolUrl(pool, context)}">${pool.name}</a>`
  return html`<div class="pool link" data-key="pool ${pool.id}">${poolLine(pool, name, context)}</div>
`
}

/** A pool on its own page. */
export function poolHeading(pool: PoolStatus, context: PoolContext): Html {
  return html`<div class="pool link" data-key="pool ${pool.id}">${poolLine(pool, html`<h2 class="name">${pool.name}</h2>`, context)}</div>
`
}

export function poolUrl(pool: PoolStatus, { system }: Pick<PoolContext, 'system'>): string {
  return `/${queryOf({ system: system.name, pool: pool.id })}`
}

function poolLine(pool: PoolStatus, name: Html, { now, problems }: PoolContext): Html {
  const { totals, last_poll: poll } = pool
  return html`<span class="line">${name} ${statePill(pool.state)} <span class="words">${pool.summary}</span>
<span class="figure">${totals.nodes === 0 ? undefined : disks(totals, 'disks')}</span>
<span class="figure">${totals.nodes === 0 ? undefined : capacity(totals)}</span>
<span class="when quiet">${known(poll, ({ timestamp_seconds }) => relativeTime(timestamp_seconds, now))}</span>
${figureColumns(pool, problems.get(pool.id) ?? [])}</span>`
}

export function poolBody(pool: PoolStatus, shown: ShownNodes, context: PoolContext): Html {
  const { system, recent, now } = context
  const history = recent.pool(system.name, pool.id)
  const nodes = pool.nodes.slice(shown.from, shown.from + shown.count)
  const systemTime = now + (system.clock_skew_seconds ?? 0)
  return html`<div class="body">${lastError(pool, now)}<dl class="facts">${poolFacts(pool, now)}</dl>
${history === undefined ? undefined : charts(POOL_CHARTS, history, system.polls)}
${nodeTable(
  nodes.map((node) => ({ node, systemTime })),
  `Nodes of pool ${pool.name}`,
)}${shown.more}
${coverageTable(pool)}</div>`
}

function poolFacts(pool: PoolStatus, now: number): Html[] {
  const { last_poll: poll } = pool
  const times = [
    fact(
      'Last poll',
      known(
        poll,
        ({ timestamp_seconds: at, duration_seconds }) =>
          html`${relativeTime(at, now)}, took ${latencyText(duration_seconds)}`,
      ),
    ),
    fact(
      'Next poll',
      known(pool.next_poll_timestamp_seconds, (at) => dueTime(at, now)),
    ),
  ]
  const until = pool.values_until_timestamp_seconds
  const stale =
    poll === null || poll.result === 'ok' || until === null
      ? []
      : [fact('Values end', html`${relativeTime(until, now)}, unless a poll succeeds`)]
  return [...times, ...stale, fact('Pool id', html`<code>${pool.id}</code>`)]
}

/** The last error: that of the last poll, or an earlier one. */
function lastError(pool: PoolStatus, now: number): Html | undefined {
  const { last_error: error, last_poll: poll } = pool
  if (error === null) return undefined
  const isCurrent = poll !== null && poll.result !== 'ok'
  const title = isCurrent ? 'Last poll failed' : 'Last error'
  return errorBox(isCurrent ? 'current' : 'past', title, error, now)
}

/** A link to all nodes, if not all are shown. */
export function moreNodes(pool: PoolStatus, shown: number, context: Pick<PoolContext, 'system'>): Content {
  const { length } = pool.nodes
  if (length <= shown) return undefined
  return html`<p class="more"><a href="${poolUrl(pool, context)}">All ${counted(length, 'node')}</a> <span class="quiet">(${shown} shown, the worst first)</span></p>`
}

/** The alerts of problems that are shown in each column. */
const ERRORS: readonly string[] = [
  'SdsSystemErrorsCritical',
  'SdsTransactionErrorsCritical',
  'SdsSystemErrors',
  'SdsTransactionErrors',
]
const FORECASTS: readonly string[] = ['SdsForecastCritical', 'SdsForecastShort']

/** Nothing without any of the figures. @param problems those of the pool */
function figureColumns({ figures }: PoolStatus, problems: readonly Problem[]): Html | undefined {
  const {
    failed_transactions_ratio: failed,
    read_latency_seconds: read,
    write_latency_seconds: write,
    forecast_seconds: forecast,
  } = figures
  if (failed === null && read === null && write === null && forecast === null) return undefined
  const marked = (alerts: readonly string[], content: Content) => {
    const problem = problems.find(({ alert }) => alerts.some((one) => one === alert))
    return problem === undefined ? content : html`<strong class="${problem.severity}">${content}</strong>`
  }
  const columns = [
    failed === null ? undefined : marked(ERRORS, `${percentText(failed)} failed`),
    [
      read === null ? undefined : marked(['SdsReadLatencyHigh'], `read ${latencyText(read)}`),
      read === null || write === null ? undefined : ', ',
      write === null ? undefined : marked(['SdsWriteLatencyHigh'], `write ${latencyText(write)}`),
    ],
    forecast === null ? undefined : marked(FORECASTS, `forecast ${durationText(forecast)}`),
  ]
  return html`<span class="service">${columns.map((column) => html`<span>${column}</span>`)}</span>`
}
