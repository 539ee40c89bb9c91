import { readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { html, trusted } from '../page/html.ts'
import { contentSecurityPolicy, PAGE_HEADERS } from '../page/policy.ts'
import { sendText } from '../page/send_text.ts'
import { renderMarkdown } from './markdown.ts'

/** The path of the runbooks; each alert is an anchor with its name. */
export const RUNBOOKS_PATH = '/docs/alerts'

/** The path is the same from src/ and dist/. */
const SOURCE = new URL('../../../docs/alerts.md', import.meta.url)

/** Handles `GET /docs/alerts`: the runbooks of all alerts, which links of alerts lead to. */
export function createRunbooks(): (context: Context) => void {
  const style =
    read(new URL('../page/style.css', import.meta.url)) + read(new URL('style.css', import.meta.url))
  const policy = contentSecurityPolicy({ script: '', style, hasForm: false })
  let page: string | undefined
  return (context) => {
    context.set(PAGE_HEADERS)
    page ??= pageText(style)
    if (page === undefined) return sendText(context, 404, 'The runbooks are not installed: docs/alerts.md.')
    context.set('Content-Security-Policy', policy)
    context.type = 'text/html; charset=utf-8'
    context.body = page
  }
}

/** Undefined without the file. */
function pageText(style: string): string | undefined {
  const markdown = readIfThere(SOURCE)
  if (markdown === undefined) return undefined
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Alerts and what to do – sds-exporter</title>
<link rel="icon" href="data:,">
<style>${trusted(style)}</style>
</head>
<body class="runbooks">
<nav aria-label="Pages"><a href="/">Status</a></nav>
<main>
${renderMarkdown(markdown)}</main>
</body>
</html>
`.text
}

function read(file: URL): string {
  return readFileSync(file, 'utf8')
}

function readIfThere(file: URL): string | undefined {
  try {
    return read(file)
  } catch {
    return undefined
  }
}
