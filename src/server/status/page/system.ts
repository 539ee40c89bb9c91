import { sumOfKnown } from '../../../metrics/samples.ts'
import { softwareText } from '../../../state/resources.ts'
import { queryOf } from '../../../status/selection.ts'
import type { SystemStatus } from '../../../status/system_status.ts'
import { countText, storageText } from '../../../text.ts'
import { largest } from '../../../values/largest.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { charts } from './charts.ts'
import { capacity, dueTime, fact, known, parts, relativeTime, statePill, wideFact } from './elements.ts'
import { markOf, POOL_COLUMNS, poolHead, type SystemContext, WORST } from './pool.ts'

export function systemCard(context: SystemContext, pools: Content): Html {
  const { system, recent, now } = context
  const { last_timestamp_seconds: at } = system.polls
  const polled = at !== null && html` <span class="quiet">polled ${relativeTime(at, now)}</span>`
  return html`<section class="card system ${system.state}" data-key="system ${system.name}" aria-label="System ${system.name}">
<div class="heading"><h2><a href="${systemUrl(system)}">${system.name}</a></h2> ${statePill(system.state)}${stateText(system)}${polled}</div>
<dl class="facts glance">${glance(context)}</dl>
${charts(recent.system(system.name), system.polls)}
<div class="pools">${system.pools.length > 1 ? poolHead : undefined}${pools}</div>
<details class="connection" data-key="connection"><summary>Connection</summary><dl class="facts">${connectionFacts(system, now)}</dl></details>
</section>
`
}

/** What the facts do not say. */
function stateText({ pools, state, summary }: SystemStatus): Html | undefined {
  const isPolled = pools.some(({ last_poll: poll }) => poll?.result === 'ok')
  const isWhole = pools.every(({ last_poll: poll }) => poll?.result === 'ok')
  return isPolled && (isWhole || state !== 'critical')
    ? undefined
    : html` <span class="words">${summary}</span>`
}

/** Columns whose value of several pools is that of the worst one. */
const OF_WORST = ['Forecast', 'Errors', 'Latency']

/** What users ask first: the values of the pools together. */
function glance({ system: { pools, totals }, problems }: SystemContext): Html[] {
  if (totals.nodes === 0) return []
  const { disk_space_total_bytes: total, disk_space_allocated_bytes: allocated } = totals
  const all = pools.map((pool) => pool.figures)
  const values = { totals, figures: worstFigures(all) }
  const marked = markOf(problems)
  return [
    ...Object.entries(POOL_COLUMNS).map(([title, show]) =>
      fact(
        pools.length > 1 && OF_WORST.includes(title) ? `${title} (worst pool)` : title,
        show(values, marked),
      ),
    ),
    fact(
      'Free space',
      total === null || allocated === null ? known(null, String) : storageText(total - allocated),
    ),
    fact('Transactions', transactions(all)),
  ]
}

type PoolFigures = SystemStatus['pools'][number]['figures']

function worstFigures(all: readonly PoolFigures[]) {
  const worst = WORST.map((name) => [name, largest(all.map((one) => one[name] ?? undefined)) ?? null])
  const [first] = all
    .filter(({ forecast_seconds: seconds }) => seconds !== null)
    .toSorted((a, b) => (a.forecast_seconds ?? 0) - (b.forecast_seconds ?? 0))
  const { forecast_seconds = null, forecast_target_percent = 0 } = first ?? {}
  const largestOf = Object.fromEntries(worst) as Record<(typeof WORST)[number], number | null>
  return { ...largestOf, forecast_seconds, forecast_target_percent }
}

/** `reads 1.2K/s, writes 300/s` */
function transactions(figures: readonly PoolFigures[]): Content {
  return parts(
    (['reads', 'writes'] as const).flatMap((name) => {
      const sum = sumOfKnown(figures.map((one) => one[`${name}_per_second`]))
      return sum === undefined ? [] : [`${name} ${countText(sum)}/s`]
    }),
  )
}

/** A system in one line, where many are shown. */
export function systemLink(system: SystemStatus): Html {
  return html`<div class="pool link ${system.state}" data-key="system ${system.name}"><span class="line"><span><a class="name" href="${systemUrl(system)}">${system.name}</a> ${statePill(system.state)}</span> <span class="words">${system.summary}</span>
<span class="cell" data-title="Capacity">${system.totals.nodes === 0 ? undefined : capacity(system.totals)}</span></span></div>
`
}

export function systemUrl({ name }: Pick<SystemStatus, 'name'>): string {
  return `/${queryOf({ system: name })}`
}

/** How the system is polled, and what it says about itself beyond its pools. */
function connectionFacts(system: SystemStatus, now: number): Html[] {
  const { endpoints, polls, login, requests, flux_api: queries, resources } = system
  const { clock_skew_seconds: skew, tls_not_after_timestamp_seconds: notAfter } = system
  const versions = Object.entries(system.software_versions)
  const next = known(polls.next_timestamp_seconds, (at) => dueTime(at, now))
  const read = resources.filter(({ state }) => state !== 'off')
  const off = resources.filter((one) => !read.includes(one)).map(({ name }) => name)
  return [
    fact('Endpoints', parts(endpoints.map((one) => endpointText(one, endpoints.length > 1)))),
    fact(
      'Next poll',
      polls.schedule === ''
        ? 'with the next probe'
        : html`${next} <span class="quiet">(<code>${polls.schedule}</code>)</span>`,
    ),
    fact('Login', critical(login.summary, login.state === 'refused')),
    fact(
      'Requests',
      `${requests.last_minute} in the last minute (limit ${requests.per_second_limit}/s), ${requests.running} of ${requests.concurrency} running, ${requests.waiting} waiting`,
      requests.pause_seconds > 0 &&
        html`; ${critical(`paused for ${requests.pause_seconds}s, because the system keeps failing`)}`,
    ),
    fact(
      'Flux API',
      queries.summary,
      // Other failures are problems of the system, which are shown with their remedies.
      queries.error?.reason === 'not_found' && reasonText(queries.error),
    ),
    fact(
      'Probe',
      html`<a href="/probe${queryOf({ system: system.name })}">poll now, and show the metrics of this system</a>`,
    ),
    fact(
      'Clock difference',
      known(skew, (seconds) => `${Math.round(seconds)}s`),
    ),
    fact(
      'Certificate ends',
      known(notAfter, (at) => relativeTime(at, now)),
    ),
    fact(
      'Software',
      known(versions[0], () => softwareText(versions)),
    ),
    wideFact(
      'Resources',
      read.map((resource, index) => [index > 0 && '; ', resourceText(resource, now)]),
      off.length > 0 && html` <span class="quiet">(off: ${off.join(', ')})</span>`,
    ),
  ]
}

const critical = (text: string, isCritical = true): Html =>
  html`<span class="${isCritical ? 'critical' : ''}">${text}</span>`

const reasonText = ({ message, remedy }: { readonly message: string; readonly remedy: string }): Html =>
  html` <span class="quiet">(${message}. What to do: ${remedy})</span>`

function endpointText(endpoint: SystemStatus['endpoints'][number], hasOthers: boolean): Html {
  const { url, pause_seconds: seconds } = endpoint
  const pause = hasOthers && seconds > 0 && [' ', critical(`(failed; others are preferred for ${seconds}s)`)]
  return html`<code>${url}</code>${pause}`
}

function resourceText(resource: SystemStatus['resources'][number], now: number): Html {
  const { name, state, summary, last_success_timestamp_seconds: at, error } = resource
  const isFailing = state === 'failing'
  const age = at !== null && html` <span class="quiet">${relativeTime(at, now)}</span>`
  // Failures are problems of the system, which are shown with their remedies.
  const reason = error !== null && !isFailing && reasonText(error)
  return html`<code>${name}</code> ${critical(summary, isFailing)}${age}${reason}`
}
