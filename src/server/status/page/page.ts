import type { PoolStatus, PushDocument, Status, SystemStatus } from '../../../status/model.ts'
import type { Recent } from '../../../status/recent.ts'
import { queryOf, type Selection } from '../../../status/selection.ts'
import { type Problem, STATES } from '../../../status/states.ts'
import type { Page } from '../../page/document.ts'
import { type Html, html } from '../../page/html.ts'
import { DEFAULT_METRICS_PATH, METRICS_PATHS, type PathRow } from '../../paths.ts'
import { clockTime, moreOf, statePill } from './elements.ts'
import { type PoolContext, poolBody, poolDetails, poolHead, poolLink } from './pool.ts'
import { problemList } from './problems.ts'
import { searchResults } from './search.ts'
import { systemCard, systemLink, systemUrl } from './system.ts'

interface PageSources {
  /** Everything, for the header. */
  readonly status: Status
  /** Undefined: there is no such system or pool. */
  readonly selected: Status | undefined
  readonly selection: Selection
  readonly recent: Recent
  readonly links: Links
}

/** Bounds of one page. The worst systems and pools are shown in full, others as links. */
const FULL_SYSTEMS = 12
const FULL_POOLS = 12
const LISTED_POOLS = 25
/** Other systems, pools of a system, or nodes of a pool, on the page where they are. */
const LISTED = 500

/** Times between two refreshes. The first poll may end at any moment. */
const REFRESH_SECONDS = 5
const STARTING_REFRESH_SECONDS = 2

export function statusPage({ state, summary }: Status, content: Html): Page {
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
<div id="content">${content}</div>
</div>`,
  }
}

/** The content of the page. */
export function renderContent(sources: PageSources): Html {
  const header = pageHeader(sources.status, sources.selection, sources.links)
  return html`${header}<main id="main" tabindex="-1">${mainContent(sources)}</main>`
}

function mainContent(sources: PageSources): Html {
  const { selected, selection } = sources
  if (selected === undefined) return notFound()
  if (selection.search !== '') return searchResults(selected, selection.search)
  const pool = selection.pool === '' ? undefined : selected.systems[0]?.pools[0]
  const problems = problemList(selected, queryOf({ system: selection.system, pool: pool?.id ?? '' }))
  const above = selection.system === '' ? undefined : breadcrumb(selected, selection)
  if (selection.pool !== '') return html`${above}${problems}${onePool(selected, sources)}`
  return html`${above}${problems}${systemCards(selected, sources)}`
}

function notFound(): Html {
  return html`<section class="card"><h2>Not found</h2><p>There is no system or pool with this name. <a href="/">Show all systems</a></p></section>`
}

function breadcrumb({ systems }: Status, { system, pool }: Selection): Html {
  const above = pool === '' ? undefined : html` / <a href="/${queryOf({ system })}">${system}</a>`
  // A pool may be selected by its id.
  const current = pool === '' ? system : (systems[0]?.pools[0]?.name ?? pool)
  return html`<nav class="breadcrumb" aria-label="Breadcrumb"><a href="/">All systems</a>${above} / ${current}</nav>`
}

function worstFirst<T extends { readonly state: PoolStatus['state'] }>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => STATES.indexOf(b.state) - STATES.indexOf(a.state))
}

function systemCards(status: Status, { recent, selection }: PageSources): Html {
  const { timestamp_seconds: now } = status
  const systems = worstFirst(status.systems)
  const [full, others] = [systems.slice(0, FULL_SYSTEMS), systems.slice(FULL_SYSTEMS)]
  const fullPools = worstFirst(full.flatMap(({ pools }) => pools)).slice(0, FULL_POOLS)
  const opened = worstPool(status)
  const isOwnPage = selection.system !== ''
  const cards = full.map((system) => {
    const problems = problemsOf(status, system)
    const context = { system, recent, problems: byPool(problems), now }
    const shown = worstFirst(system.pools).slice(0, isOwnPage ? LISTED : LISTED_POOLS)
    const pools = shown.map((pool) =>
      fullPools.includes(pool) ? poolDetails(pool, opened === pool, context) : poolLink(pool, context),
    )
    const more = moreOf(system.pools.length, shown.length, 'pool', isOwnPage ? undefined : systemUrl(system))
    return systemCard(system, [pools, more], { recent, problems, now })
  })
  if (others.length === 0) return html`${cards}`
  return html`${cards}<section class="card" aria-label="Other systems"><h2>Other systems</h2>${others.slice(0, LISTED).map(systemLink)}${moreOf(others.length, LISTED, 'other system')}</section>`
}

const problemsOf = ({ problems }: Status, { name }: SystemStatus): Problem[] =>
  problems.filter(({ system }) => system === name)

const byPool = (problems: readonly Problem[]): PoolContext['problems'] =>
  Map.groupBy(problems, ({ pool_id }) => pool_id)

/** The first pool with problems of its own: the worst one. */
function worstPool({ problems, systems }: Status): PoolStatus | undefined {
  const first = problems.find(({ pool_id }) => pool_id !== null)
  return systems.find(({ name }) => name === first?.system)?.pools.find(({ id }) => id === first?.pool_id)
}

function onePool(status: Status, { recent }: PageSources): Html {
  const { systems, timestamp_seconds: now } = status
  const [system] = systems
  const [pool] = system?.pools ?? []
  if (system === undefined || pool === undefined) return notFound()
  const context = { system, recent, problems: byPool(problemsOf(status, system)), now }
  return html`<section class="card ${pool.state}" aria-label="Pool ${pool.name}">${poolHead}${poolLink(pool, context, true)}${poolBody(pool, context, LISTED)}</section>`
}

interface Links {
  readonly metricsPath: string
  /** Undefined: disabled. */
  readonly administration: Html | undefined
  /** Undefined: not published. */
  readonly documentationUrl: string | undefined
}

function pageHeader(status: Status, selection: Selection, links: Links): Html {
  const { system, search } = selection
  const { administration, documentationUrl, metricsPath } = links
  const document = `/api/v1/status${queryOf(selection)}`
  const documentation =
    documentationUrl === undefined
      ? html`<li class="quiet">Documentation: folder docs of the package</li>`
      : html`<li><a href="${documentationUrl}" rel="noreferrer">Documentation</a></li>`
  const hidden = system === '' ? undefined : html`<input type="hidden" name="system" value="${system}">`
  return html`<header>
<div class="heading"><h1><a href="/">sds-exporter</a></h1> ${statePill(status.state)} <span class="words" id="summary" role="status">${status.summary}</span></div>
<p class="quiet" id="updated">Version ${status.version}, as of ${clockTime(status.timestamp_seconds)}</p>${status.push && pushLine(status.push)}
<div class="tools"><nav aria-label="Pages"><ul class="links">${pathLinks(metricsPath)}<li><a href="${document}">Status as JSON</a></li>${administration === undefined ? html`<li class="quiet">Administration is disabled</li>` : html`<li>${administration}</li>`}${documentation}</ul></nav>
<form class="search" role="search" action="/" method="get"><input name="q" type="search" value="${search}" aria-label="Search systems, pools and nodes" placeholder="System, pool or node" autocomplete="off" spellcheck="false" maxlength="200">${hidden}<button>Search</button></form></div>
</header>
`
}

function pushLine({
  endpoint,
  result,
  error,
  remedy,
  last_success_timestamp_seconds: last,
}: PushDocument): Html {
  const success = last === null ? 'no push has succeeded' : html`last success ${clockTime(last)}`
  const failure =
    error === null ? undefined : html`, <strong class="critical">${result}: ${error}</strong> (${remedy})`
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
