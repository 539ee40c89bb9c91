import { readFileSync } from 'node:fs'
import type { Status } from '../../../status/model.ts'
import { type Html, html, trusted } from '../../page/html.ts'
import { contentSecurityPolicy } from '../../page/policy.ts'

/** The document around the content of the page. */
export interface Document {
  readonly policy: string
  readonly render: (status: Status, content: Html) => string
}

/** Times between two refreshes. Before the first poll there is news at any moment. */
const REFRESH_SECONDS = 5
const STARTING_REFRESH_SECONDS = 2

export function createDocument(): Document {
  const style = `${readPageFile('../../page/style.css')}${readPageFile('style.css')}`
  const script = readPageFile('script.js')
  return {
    policy: contentSecurityPolicy({ script, style, hasForm: true }),
    render: (status, content) => documentText(status, content, style, script),
  }
}

function documentText(status: Status, content: Html, style: string, script: string): string {
  const seconds = status.state === 'starting' ? STARTING_REFRESH_SECONDS : REFRESH_SECONDS
  // The title shows the state in the list of tabs.
  const title = `${status.state === 'ok' ? '' : `${status.summary} – `}sds-exporter`
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<noscript><meta http-equiv="refresh" content="15"></noscript>
<style>${trusted(style)}</style>
</head>
<body class="status" data-refresh-seconds="${seconds}">
<a class="skip" href="#main">Skip to content</a>
<p id="offline" class="message" role="alert" hidden></p>
<div class="page">
<p id="refresh" class="refresh" hidden><button type="button" id="refresh-button" aria-pressed="true">Refreshing</button></p>
<div id="content">${content}</div>
</div>
<script type="module">${trusted(script)}</script>
</body>
</html>
`.text
}

function readPageFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}
