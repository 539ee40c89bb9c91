import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { INVISIBLE } from '../../../visible_text.ts'
import { readPageStyle } from '../../metrics/page_style.ts'

export interface AdminPage {
  /** One document with its style and script inlined. */
  readonly html: string
  /** The Content-Security-Policy: this script and style only, requests to the same origin only, no framing. */
  readonly policy: string
}

/**
 * Reads the administration page from the files beside this one.
 * @param unknownOutcomeCode error code of a deletion whose result is unknown
 */
export function readAdminPage(unknownOutcomeCode: number): AdminPage {
  const style = readPageStyle()
  const script = readPageFile('script.js')
  const values: Readonly<Record<string, string>> = {
    style,
    script,
    unknownOutcomeCode: String(unknownOutcomeCode),
    invisible: INVISIBLE,
  }
  const html = readPageFile('page.html').replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? '')
  return { html, policy: policyFor(script, style) }
}

function readPageFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

function policyFor(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
