import type { Status } from '../../../status/model.ts'
import { queryOf, type Selection } from '../../../status/selection.ts'
import { type Html, html } from '../../page/html.ts'
import { RUNBOOKS_PATH } from '../../runbooks/runbooks.ts'
import { clockTime, statePill } from './elements.ts'

export interface Links {
  readonly metricsPath: string
  /** Undefined: disabled. */
  readonly adminUrl: string | undefined
  /** The host of the page, if the administration is reachable on that machine only, but the page from others. */
  readonly tunnelHost: string | undefined
  /** Undefined: not published. */
  readonly documentationUrl: string | undefined
}

export function pageHeader(status: Status, selection: Selection, links: Links): Html {
  const { system, search } = selection
  const { adminUrl, documentationUrl, metricsPath, tunnelHost } = links
  const document = `/api/v1/status${queryOf(selection)}`
  const administration =
    adminUrl === undefined
      ? html`<li class="quiet">Administration is disabled</li>`
      : html`<li><a href="${adminUrl}">Administration</a>${tunnelHost === undefined ? undefined : tunnelHint(adminUrl, tunnelHost)}</li>`
  const documentation =
    documentationUrl === undefined
      ? html`<li class="quiet">Documentation: folder docs of the package</li>`
      : html`<li><a href="${documentationUrl}" rel="noreferrer">Documentation</a></li>`
  const hidden = system === '' ? undefined : html`<input type="hidden" name="system" value="${system}">`
  return html`<header>
<div class="heading"><h1><a href="/">sds-exporter</a></h1> ${statePill(status.state)} <span class="words" id="summary" role="status">${status.summary}</span></div>
<p class="quiet" id="updated">Version ${status.version}, as of ${clockTime(status.timestamp_seconds)}</p>
<div class="tools"><nav aria-label="Pages"><ul class="links"><li><a href="${metricsPath}">Metrics</a></li><li><a href="/sd">Service discovery</a></li><li><a href="${document}">Status as JSON</a></li>${administration}<li><a href="/-/ready">Readiness</a></li><li><a href="${RUNBOOKS_PATH}">Runbooks</a></li>${documentation}</ul></nav>
<form class="search" role="search" action="/" method="get"><input name="q" type="search" value="${search}" aria-label="Search systems, pools and nodes" placeholder="System, pool or node" autocomplete="off" spellcheck="false" maxlength="200">${hidden}<button>Search</button></form></div>
</header>
`
}

/** How to reach a listener on a loopback address from another machine. */
function tunnelHint(adminUrl: string, host: string): Html {
  const { port, hostname } = new URL(adminUrl)
  return html` <span class="quiet">(on ${host} only; from here after <code>ssh -L ${port}:${hostname}:${port} ${host}</code>)</span>`
}
