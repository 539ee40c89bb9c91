import { createHash } from 'node:crypto'

/** The parts of a page that its Content-Security-Policy depends on. */
export interface PagePolicy {
  /** The inline script and style, which are the only ones allowed. */
  readonly script: string
  readonly style: string
  /** Whether forms may be sent to the listener of the page. */
  readonly hasForm: boolean
}

/** This script and style only, requests to the same origin only, no framing, no HTML from strings. */
export function contentSecurityPolicy({ script, style, hasForm }: PagePolicy): string {
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
