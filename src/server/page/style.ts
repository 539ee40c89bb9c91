import { readFileSync } from 'node:fs'

/** The CSS that all pages share. */
export function readPageStyle(): string {
  return readFileSync(new URL('./style.css', import.meta.url), 'utf8')
}
