import { readFileSync } from 'node:fs'
import type { Context } from 'koa'
import { createDocument, type Page } from '../page/document.ts'
import { type Content, type Html, html } from '../page/html.ts'

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

/**
 * Only what docs/alerts.md and docs/runbooks have, on one page: links to runbooks are links to anchors, and those to other
 * files become text, because those are not served.
 */
export function renderMarkdown(markdown: string): Html {
  return html`${markdown
    .replace(/^<!--.*?-->\s*/s, '')
    .split(/^(```[a-z]*\n[\s\S]*?\n```)$/m)
    .flatMap((part) => (part.startsWith('```') ? [codeBlock(part)] : part.split(/\n{2,}/).map(block)))}`
}

/** Can be scrolled by keyboard, because lines of queries are wider than a phone. */
function codeBlock(part: string): Html {
  const lines = part.split('\n').slice(1, -1)
  return html`<pre tabindex="0"><code>${lines.map(
    (line) => html`${line}
`,
  )}</code></pre>
`
}

function block(text: string): Content {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const [, marks, title = ''] = /^(#{1,6}) (.+)$/.exec(trimmed) ?? []
  if (marks !== undefined) return heading(marks.length, title)
  const [, anchor] = /^<a id="(\w+)"><\/a>$/.exec(trimmed) ?? []
  if (anchor !== undefined) return anchors(anchor)
  if (trimmed.startsWith('|')) return table(trimmed.split('\n'))
  return html`<p>${inline(trimmed.replaceAll('\n', ' '))}</p>
`
}

function heading(level: number, title: string): Html {
  const content = inline(title)
  if (level === 1)
    return html`<h1>${content}</h1>
`
  const id = title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
  return level === 2
    ? html`<h2 id="${id}">${content}</h2>
`
    : html`${anchors(title)}<h3>${content}</h3>
`
}

/** Links of alerts have the name of the alert in lower case, those of tables in Grafana as it is. */
function anchors(name: string): Html {
  return html`<a id="${name.toLowerCase()}"></a><a id="${name}"></a>
`
}

function table([head = '', , ...rows]: readonly string[]): Html {
  return html`<div class="wide" tabindex="0"><table><thead><tr>${cells(head).map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>${cells(row).map((cell) => html`<td>${inline(cell)}</td>`)}</tr>
`,
  )}</tbody></table></div>
`
}

function cells(row: string): string[] {
  return row
    .replace(/^\| ?| ?\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\)|<a id="\w+"><\/a>)/
/** A link to an anchor of this page, or to a runbook. */
const ANCHOR = /^(?:#|(?:runbooks\/)?\w+\.md#(?=[Ss]ds))(.+)$/

function inline(text: string): Content {
  return text.split(INLINE).map((part) => {
    if (/^`.+`$/s.test(part)) return html`<code>${part.slice(1, -1)}</code>`
    if (/^\*\*.+\*\*$/s.test(part)) return html`<strong>${part.slice(2, -2)}</strong>`
    // Links of the table lead to its rows; here the runbooks have them.
    if (part.startsWith('<a id=')) return undefined
    const [, label, target = ''] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? []
    if (label === undefined) return part
    const [, anchor] = ANCHOR.exec(target) ?? []
    return anchor === undefined ? inline(label) : html`<a href="#${anchor}">${inline(label)}</a>`
  })
}
