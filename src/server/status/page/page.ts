import { sumOfKnown } from '../../../metrics/samples.ts'
import { softwareText } from '../../../state/resources.ts'
import type { PoolStatus } from '../../../status/pool_status.ts'
import type { Recent } from '../../../status/recent.ts'
import { isNamed, queryOf, type Selection } from '../../../status/selection.ts'
import { type Problem, problemState, STATES } from '../../../status/states.ts'
import type { Status } from '../../../status/status.ts'
import type { SystemStatus } from '../../../status/system_status.ts'
import { counted, countText, storageText } from '../../../text.ts'
import { largest } from '../../../values/largest.ts'
import type { Page } from '../../page/document.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { DEFAULT_METRICS_PATH, METRICS_PATHS, type PathRow, RUNBOOKS_PATH } from '../../paths.ts'
import { charts } from './charts.ts'
import {
  capacity,
  clockTime,
  dueTime,
  fact,
  known,
  moreOf,
  parts,
  relativeTime,
  statePill,
  wideFact,
} from './elements.ts'
import {
  markOf,
  nodeTable,
  POOL_COLUMNS,
  poolDetails,
  poolHead,
  poolLink,
  poolUrl,
  type SystemContext,
  WORST,
} from './pool.ts'

interface PageSources {
  /** Everything, for the header. */
  readonly status: Status
  /** Undefined: there is no such system or pool. */
  readonly selected: Status | undefined
  readonly selection: Selection
  readonly recent: Recent
  readonly metricsPath: string
  /** The link to its page; undefined: disabled. */
  readonly administration: Html | undefined
  /** Undefined: not published. */
  readonly documentationUrl: string | undefined
}

/** Bounds of one page. The worst systems and pools are shown in full, others as links. */
const FULL_SYSTEMS = 12
const FULL_POOLS = 12
const LISTED_POOLS = 25
/** Other systems, or pools on the page of their system. */
const LISTED = 500

/** Times between two refreshes. The first poll may end at any moment. */
const REFRESH_SECONDS = 5
const STARTING_REFRESH_SECONDS = 2

export function statusPage(sources: PageSources): Page {
  const { state, summary } = sources.status
  const seconds = state === 'starting' ? STARTING_REFRESH_SECONDS : REFRESH_SECONDS
  return {
    // The title shows the state in the list of tabs.
    title: `${state === 'ok' ? '' : `${summary} – `}sds-exporter`,
    head: html`<noscript><meta http-equiv="refresh" content="15"></noscript>\n`,
    attributes: html` class="status" data-refresh-seconds="${seconds}"`,
    body: html`<a class="skip" href="#main">Skip to content</a>
<p id="offline" class="message" role="alert" hidden></p>
<div class="page">
<p id="refresh" class="refresh" hidden><button type="button" id="refresh-button" aria-pressed="true">Refreshing</button></p>
<div id="content">${pageHeader(sources)}<main id="main" tabindex="-1">${mainContent(sources)}</main></div>
</div>`,
  }
}

function mainContent({ selected, selection, recent }: PageSources): Html {
  if (selected === undefined) return NOT_FOUND
  if (selection.search !== '') return searchResults(selected, selection.search)
  const [system] = selected.systems
  const pool = selection.pool === '' ? undefined : system?.pools[0]
  const above = selection.system === '' ? undefined : breadcrumb(selection.system, pool)
  const problems = problemList(selected, queryOf({ system: selection.system, pool: pool?.id ?? '' }))
  const content =
    system !== undefined && pool !== undefined
      ? html`<section class="card ${pool.state}" aria-label="Pool ${pool.name}">${poolHead}${poolDetails(pool, contextOf(selected, system, recent), 'alone')}</section>`
      : systemCards(selected, recent, selection.system !== '')
  return html`${above}${problems}${content}`
}

const NOT_FOUND = html`<section class="card"><h2>Not found</h2><p>There is no system or pool with this name. <a href="/">Show all systems</a></p></section>`

function breadcrumb(system: string, pool: PoolStatus | undefined): Html {
  const above = pool && html` / <a href="/${queryOf({ system })}">${system}</a>`
  return html`<nav class="breadcrumb" aria-label="Breadcrumb"><a href="/">All systems</a>${above} / ${pool?.name ?? system}</nav>`
}

function worstFirst<T extends { readonly state: PoolStatus['state'] }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => STATES.indexOf(b.state) - STATES.indexOf(a.state))
}

function systemCards(status: Status, recent: Recent, isOwnPage: boolean): Html {
  const systems = worstFirst(status.systems)
  const [full, others] = [systems.slice(0, FULL_SYSTEMS), systems.slice(FULL_SYSTEMS)]
  const fullPools = worstFirst(full.flatMap(({ pools }) => pools)).slice(0, FULL_POOLS)
  const opened = worstPool(status)
  const cards = full.map((system) => {
    const context = contextOf(status, system, recent)
    const shown = worstFirst(system.pools).slice(0, isOwnPage ? LISTED : LISTED_POOLS)
    const pools = shown.map((pool) =>
      fullPools.includes(pool)
        ? poolDetails(pool, context, opened === pool ? 'open' : 'closed')
        : poolLink(pool, context),
    )
    const more = moreOf(system.pools.length, shown.length, 'pool', isOwnPage ? undefined : systemUrl(system))
    return systemCard(context, [pools, more])
  })
  if (others.length === 0) return html`${cards}`
  return html`${cards}<section class="card" aria-label="Other systems"><h2>Other systems</h2>${others.slice(0, LISTED).map(systemLink)}${moreOf(others.length, LISTED, 'other system')}</section>`
}

function contextOf(status: Status, system: SystemStatus, recent: Recent): SystemContext {
  const problems = status.problems.filter((problem) => problem.system === system.name)
  return { system, recent, problems, now: status.timestamp_seconds }
}

/** The first pool with problems of its own: the worst one. */
function worstPool({ problems, systems }: Status): PoolStatus | undefined {
  const first = problems.find(({ pool_id }) => pool_id !== null)
  return systems.find(({ name }) => name === first?.system)?.pools.find(({ id }) => id === first?.pool_id)
}

function pageHeader(sources: PageSources): Html {
  const { status, selection, administration, documentationUrl } = sources
  const { system, search } = selection
  const documentation =
    documentationUrl === undefined
      ? html`<li class="quiet">Documentation: folder docs of the package</li>`
      : html`<li><a href="${documentationUrl}" rel="noreferrer">Documentation</a></li>`
  const hidden = system !== '' && html`<input type="hidden" name="system" value="${system}">`
  return html`<header>
<div class="heading"><h1><a href="/">sds-exporter</a></h1> ${statePill(status.state)} <span class="words" id="summary" role="status">${status.summary}</span></div>
<p class="quiet" id="updated">Version ${status.version}, as of ${clockTime(status.timestamp_seconds)}</p>${status.push && pushLine(status.push)}
<div class="tools"><nav aria-label="Pages"><ul class="links">${pathLinks(sources.metricsPath)}<li><a href="/api/v1/status${queryOf(selection)}">Status as JSON</a></li>${administration === undefined ? html`<li class="quiet">Administration is disabled</li>` : html`<li>${administration}</li>`}${documentation}</ul></nav>
<form class="search" role="search" action="/" method="get"><input name="q" type="search" value="${search}" aria-label="Search systems, pools and nodes" placeholder="System, pool or node" autocomplete="off" spellcheck="false" maxlength="200">${hidden}<button>Search</button></form></div>
</header>
`
}

function pushLine(push: NonNullable<Status['push']>): Html {
  const { endpoint, result, error, last_success_timestamp_seconds: last } = push
  const success = last === null ? 'no push has succeeded' : html`last success ${clockTime(last)}`
  const failure =
    error !== null && html`, <strong class="critical">${result}: ${error}</strong> (${push.remedy})`
  return html`
<p class="quiet">OTLP push to ${endpoint}: ${success}${failure}</p>`
}

function pathLinks(metricsPath: string): Html[] {
  const rows: readonly (readonly [string, PathRow])[] = Object.entries(METRICS_PATHS)
  return rows.flatMap(([name, { link }]) => {
    const path = name === DEFAULT_METRICS_PATH ? metricsPath : name
    return link === undefined ? [] : [html`<li><a href="${path}">${link}</a></li>`]
  })
}

/** Rows of one page. */
const FOUND_NODES = 200
const FOUND_PLACES = 50

/** What a search found: systems and pools by their name, and nodes, the worst first within a pool. */
function searchResults(found: Status, text: string): Html {
  const isWanted = (place: { readonly name: string; readonly id?: string }) => isNamed(place, text)
  const systems = found.systems.filter(isWanted)
  const places = found.systems.flatMap((system) => system.pools.map((pool) => ({ system, pool })))
  const pools = places.filter(({ pool }) => isWanted(pool))
  const nodes = places.flatMap((place) =>
    place.pool.nodes.filter(isWanted).map((node) => ({ node, ...place })),
  )
  const link = ({ system, pool }: (typeof places)[number]) =>
    html`<a href="${poolUrl(pool, { system })}">${system.name} / ${pool.name}</a>`
  const rows = nodes.slice(0, FOUND_NODES).map(({ node, ...place }) => {
    const systemTime = found.timestamp_seconds + (place.system.clock_skew_seconds ?? 0)
    return { node, place: link(place), systemTime }
  })
  const counts = `${counted(systems.length, 'system')}, ${counted(pools.length, 'pool')} and ${counted(nodes.length, 'node')}`
  return html`<section class="card" aria-label="Search"><h2>Search for “${text}”</h2><p role="status">Found ${counts}.</p>
<p class="quiet">Part of a name or id is enough; upper and lower case are the same. <a href="/">Show all systems</a></p>
${systems.slice(0, FOUND_PLACES).map(systemLink)}${pools.slice(0, FOUND_PLACES).map((place) => html`<p>${link(place)} <span class="words">${place.pool.summary}</span></p>`)}
${nodeTable(rows, 'Nodes found')}${nodes.length > rows.length ? html`<p class="quiet">${rows.length} of ${counted(nodes.length, 'node')} shown: search for more of the name</p>` : undefined}</section>`
}

/** Systems and pools with problems that are shown at first, and in all. */
const FIRST_BLOCKS = 5
const BLOCKS = 100

/**
 * One block for each system and pool with problems, the worst first.
 * @param own the query of the page, to which no block links
 */
function problemList({ problems, timestamp_seconds: now }: Status, own: string): Html | undefined {
  if (problems.length === 0) return undefined
  const places = Map.groupBy(problems, ({ system, pool_id }) => JSON.stringify([system, pool_id]))
  const blocks = [...places].map(([place, ofPlace], index) => {
    const [{ system = '', pool = null, pool_id = null } = {}] = ofPlace
    const name = pool_id === null ? system : `${system} / ${pool ?? pool_id}`
    const query = queryOf({ system, pool: pool_id ?? '' })
    const isTold = ofPlace.length === 1 && ofPlace.every(({ text, summary }) => text.startsWith(summary))
    const told = ofPlace.map(({ text, summary }) => (isTold ? text : summary)).join(', ')
    return html`<details class="problem" data-key="problem ${place}"${index === 0 && html` open`}><summary>${statePill(problemState(ofPlace))} <span class="place">${name}</span> <span class="words">${unbroken(told)}</span></summary>
<ul>${ofPlace.map((problem) => problemItem(problem, isTold, now))}</ul>${query !== own && html`<p><a href="/${query}">Show ${name}</a></p>`}</details>
`
  })
  const more = blocks.length - BLOCKS
  const rest =
    blocks.length > FIRST_BLOCKS &&
    html`<details class="rest" data-key="rest"><summary>Show all (${blocks.length})</summary>${blocks.slice(FIRST_BLOCKS, BLOCKS)}${more > 0 && html`<p class="quiet">and ${counted(more, 'more block')}</p>`}</details>`
  return html`<section class="card problems ${problemState(problems)}" aria-labelledby="problems-heading" data-key="problems"><h2 id="problems-heading">Needs attention</h2>${blocks.slice(0, FIRST_BLOCKS)}${rest}</section>
`
}

/** @param isTold the head of the block has the text already */
function problemItem(problem: Problem, isTold: boolean, now: number): Html {
  const { severity, text, remedy, alert, timestamp_seconds: at } = problem
  const runbook = alert !== null && html` <a href="${RUNBOOKS_PATH}#${alert}">Runbook of ${alert}</a>`
  const when = at !== null && html` <span class="quiet">${relativeTime(at, now)}</span>`
  return html`<li class="${severity}">${!isTold && html`<p>${unbroken(text)}</p>`}<p class="quiet">What to do: ${remedy}.${runbook}${when}</p></li>
`
}

/** Names with hyphens are not broken at these. */
const unbroken = (text: string): Html[] =>
  text
    .split(' ')
    .map((word) => (word.includes('-') ? html`<span class="whole">${word}</span> ` : html`${word} `))

function systemCard(context: SystemContext, pools: Content): Html {
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
function systemLink(system: SystemStatus): Html {
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
