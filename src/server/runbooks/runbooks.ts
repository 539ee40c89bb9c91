import { readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { createDocument, PAGE_HEADERS, type Page } from '../page/document.ts'
import { html } from '../page/html.ts'
import { renderMarkdown } from './markdown.ts'

/** The path of the runbooks; each alert is an anchor with its name. */
export const RUNBOOKS_PATH = '/docs/alerts'

/** The path is the same from src/ and dist/. */
const SOURCE = new URL('../../../docs/alerts.md', import.meta.url)

/** Handles `GET /docs/alerts`: the runbooks of all alerts, which links of alerts lead to. */
export function createRunbooks(): (context: Context) => void {
  const document = createDocument({ style: new URL('style.css', import.meta.url) })
  let text: string | undefined
  return (context) => {
    context.set(PAGE_HEADERS)
    text ??= document.render(readPage())
    document.setHeaders(context)
    context.body = text
  }
}

function readPage(): Page {
  return {
    title: 'Alerts and what to do – sds-exporter',
    attributes: html` class="runbooks"`,
    body: html`<nav aria-label="Pages"><a href="/">Status</a></nav>
<main>
${renderMarkdown(readFileSync(SOURCE, 'utf8'))}</main>`,
  }
}
