import { softwareText } from '../../../api/resources/hardware.ts'
import type { ResourceStatus, SystemStatus } from '../../../status/model.ts'
import type { Recent } from '../../../status/recent/recent.ts'
import { queryOf } from '../../../status/selection.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { charts, SYSTEM_CHARTS } from './charts.ts'
import { capacity, dueTime, errorBox, fact, known, relativeTime, statePill, wideFact } from './elements.ts'

export function systemCard(system: SystemStatus, pools: Content, recent: Recent, now: number): Html {
  const { discovery_error: error } = system
  return html`<section class="card system" data-key="system ${system.name}" aria-label="System ${system.name}">
<div class="heading"><h2><a href="${systemUrl(system)}">${system.name}</a></h2> ${statePill(system.state)} <span class="words">${system.summary}</span></div>
${error && errorBox('current', 'The list of pools could not be read', error, now)}<dl class="facts">${systemFacts(system, now)}</dl>
${charts(SYSTEM_CHARTS, recent.system(system.name), system.polls)}
<div class="pools">${pools}</div>
</section>
`
}

/** A system in one line, where many are shown. */
export function systemLink(system: SystemStatus): Html {
  return html`<div class="pool link" data-key="system ${system.name}"><span class="line"><a class="name" href="${systemUrl(system)}">${system.name}</a> ${statePill(system.state)} <span class="words">${system.summary}</span>
<span class="figure">${system.totals.nodes === 0 ? undefined : capacity(system.totals)}</span></span></div>
`
}

function systemUrl({ name }: Pick<SystemStatus, 'name'>): string {
  return `/${queryOf({ system: name })}`
}

function systemFacts(system: SystemStatus, now: number): Html[] {
  const { polls, requests, query_interface: queries } = system
  return [
    fact(system.endpoints.length === 1 ? 'Endpoint' : 'Endpoints', endpoints(system)),
    fact(
      'Last poll',
      known(polls.last_timestamp_seconds, (at) => relativeTime(at, now)),
    ),
    fact(
      'Next poll',
      polls.schedule === ''
        ? 'with the next probe'
        : known(polls.next_timestamp_seconds, (at) => dueTime(at, now)),
      polls.schedule === '' ? undefined : html` <span class="quiet">(<code>${polls.schedule}</code>)</span>`,
    ),
    fact(
      'Login',
      html`<span class="${system.login.state === 'refused' ? 'bad' : ''}">${system.login.summary}</span>`,
    ),
    fact(
      'Requests',
      `${requests.last_minute} in the last minute (limit ${requests.per_second_limit}/s), ${requests.running} of ${requests.concurrency} running`,
      requests.waiting === 0 ? undefined : `, ${requests.waiting} waiting`,
      requests.pause_seconds === 0
        ? undefined
        : html`; <span class="bad">paused for ${requests.pause_seconds}s, because the system keeps failing</span>`,
    ),
    fact('Query interface', queries.summary, nextQueries(system, now), queryRemedy(system)),
    fact(
      'Probe',
      html`<a href="/probe${queryOf({ system: system.name })}">poll now, and show the metrics of this system</a>`,
    ),
    ...otherFacts(system, now),
    resourceFact(system, now),
  ]
}

function nextQueries(
  { query_interface: { state, next_timestamp_seconds: next } }: SystemStatus,
  now: number,
) {
  const isPolled = state !== 'off' && state !== 'not_needed'
  return isPolled && next !== null ? html`; next ${dueTime(next, now)}` : undefined
}

/** Other failures are problems of the system, which are shown with their remedies. */
function queryRemedy({ query_interface: { error } }: SystemStatus) {
  if (error?.reason !== 'not_found') return undefined
  return html` <span class="quiet">(${error.message}. What to do: ${error.remedy})</span>`
}

/** What the system says about itself beyond its pools: one line for each resource that is read. */
function resourceFact({ resources }: SystemStatus, now: number): Html {
  const read = resources.filter(({ state }) => state !== 'off')
  const off = resources.filter(({ state }) => state === 'off').map(({ name }) => name)
  return wideFact(
    'Resources',
    read.map((resource, index) => html`${index === 0 ? '' : '; '}${resourceText(resource, now)}`),
    off.length === 0 ? undefined : html` <span class="quiet">(off: ${off.join(', ')})</span>`,
  )
}

function resourceText(resource: ResourceStatus, now: number): Html {
  const { name, state, summary, last_success_timestamp_seconds: at, error } = resource
  const age = at === null ? undefined : html` <span class="quiet">${relativeTime(at, now)}</span>`
  // Failures are problems of the system, which are shown with their remedies.
  const reason =
    error === null || state === 'failing'
      ? undefined
      : html` <span class="quiet">(${error.message}. What to do: ${error.remedy})</span>`
  return html`<code>${name}</code> <span class="${state === 'failing' ? 'bad' : ''}">${summary}</span>${age}${reason}`
}

function otherFacts(system: SystemStatus, now: number): Html[] {
  const { clock_skew_seconds: skew, tls_not_after_timestamp_seconds: notAfter } = system
  const versions = Object.entries(system.software_versions)
  return [
    ...(skew === null ? [] : [fact('Clock difference', `${Math.round(skew)}s`)]),
    ...(notAfter === null ? [] : [fact('Certificate ends', relativeTime(notAfter, now))]),
    ...(versions.length === 0 ? [] : [fact('Software', softwareText(versions))]),
  ]
}

function endpoints({ endpoints: all }: SystemStatus): Content {
  return all.map(({ url, pause_seconds }, index) => [
    index === 0 ? '' : ', ',
    html`<code>${url}</code>`,
    pause_seconds === 0 || all.length === 1
      ? undefined
      : html` <span class="bad">(failed; others are preferred for ${pause_seconds}s)</span>`,
  ])
}
