import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Html, html, trusted } from './html.ts'

export interface DocumentOptions {
  /** Added to the style of all pages. */
  readonly style?: URL
  readonly script?: URL
  /** Whether forms may be sent to the listener of the page. */
  readonly hasForm?: boolean
}

export interface Page {
  readonly title: string
  readonly head?: Html | undefined
  /** Attributes of the body, each with a space before it. */
  readonly attributes: Html
  readonly body: Html
}

/** The HTML document around the content of a page, with its style and script inlined. */
export function createDocument({ style: more, script: file, hasForm = false }: DocumentOptions) {
  const style = [new URL('style.css', import.meta.url), ...(more === undefined ? [] : [more])]
    .map(read)
    .join('')
  const script = file === undefined ? '' : read(file)
  const policy = contentSecurityPolicy(script, style, hasForm)
  const scriptElement = script === '' ? undefined : html`<script type="module">${trusted(script)}</script>\n`
  return {
    render: ({ title, head, attributes, body }: Page): string =>
      html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}<style>${trusted(style)}</style>
</head>
<body${attributes}>
${body}
${scriptElement}</body>
</html>
`.text,
    /** In addition to those of its content. */
    headers: { 'Content-Security-Policy': policy },
  }
}

function read(file: URL): string {
  return readFileSync(file, 'utf8')
}

/** This script and style only, requests to the same origin only, no framing, no HTML from strings. */
function contentSecurityPolicy(script: string, style: string, hasForm: boolean): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Headers of pages and of what they request: no caching, no access from other sites. */
export const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const
