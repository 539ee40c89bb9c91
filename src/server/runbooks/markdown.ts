import { type Content, type Html, html } from '../page/html.ts'

/** Only what docs/alerts.md has. Links to other files become text, because those are not served. */
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
  if (anchor !== undefined)
    return html`<a id="${anchor}"></a>
`
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
    : html`<h3 id="${id}">${content}</h3>
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

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/

function inline(text: string): Content {
  return text.split(INLINE).map((part) => {
    if (/^`.+`$/s.test(part)) return html`<code>${part.slice(1, -1)}</code>`
    if (/^\*\*.+\*\*$/s.test(part)) return html`<strong>${part.slice(2, -2)}</strong>`
    const [, label, target = ''] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? []
    if (label === undefined) return part
    return target.startsWith('#') ? html`<a href="${target}">${inline(label)}</a>` : inline(label)
  })
}
