import { readFileSync } from 'node:fs'

/** The CSS of the landing page and of the administration page. */
export function readPageStyle(): string {
  return readFileSync(new URL('./page_style.css', import.meta.url), 'utf8')
}
