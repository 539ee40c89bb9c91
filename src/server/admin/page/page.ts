import { readFileSync } from 'node:fs'
import { INVISIBLE } from '../../../text.ts'
import { contentSecurityPolicy } from '../../page/policy.ts'

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
  const style = readPageFile('../../page/style.css')
  const script = readPageFile('script.js')
  const values: Readonly<Record<string, string>> = {
    style,
    script,
    unknownOutcomeCode: String(unknownOutcomeCode),
    invisible: INVISIBLE,
  }
  const html = readPageFile('page.html').replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? '')
  return { html, policy: contentSecurityPolicy({ script, style, hasForm: false }) }
}

function readPageFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}
