import { readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { createDocument, type Page } from '../page/document.ts'
import { html } from '../page/html.ts'
import { renderMarkdown } from './markdown.ts'

/** The path is the same from src/ and dist/. */
const DOCS = new URL('../../../docs/', import.meta.url)

/** Handles `GET /runbooks`: the table of all alerts and their runbooks, which links of alerts lead to. */
export function createRunbooks(): (context: Context) => void {
  const document = createDocument({ style: new URL('style.css', import.meta.url) })
  let text: string | undefined
  return (context) => {
    text ??= document.render(readPage())
    context.set(document.headers)
    context.body = text
  }
}

function readPage(): Page {
  return {
    title: 'Alerts and what to do – sds-exporter',
    attributes: html` class="runbooks"`,
    body: html`<nav aria-label="Pages"><a href="/">Status</a></nav>
<main>
${renderMarkdown(readPages().join('\n'))}</main>`,
  }
}

/** The table of alerts, and the pages of runbooks in the order in which it links to them, with their headings a level lower. */
function readPages(): string[] {
  const alerts = readFileSync(new URL('alerts.md', DOCS), 'utf8')
  const pages = new Set([...alerts.matchAll(/\((runbooks\/\w+\.md)#/g)].map(([, page = '']) => page))
  const runbooks = [...pages].map((page) =>
    readFileSync(new URL(page, DOCS), 'utf8').replaceAll(/^(?=#{1,2} )/gm, '#'),
  )
  return [alerts, ...runbooks]
}
