import { readFileSync } from 'node:fs'
import { FORMATS } from '../../src/metrics/lines.ts'
import { chooseFormat } from '../../src/server/metrics/negotiation.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { replaceMarked } from '../markdown/marked.ts'
import { CHECKED_SCRAPERS, PROGRAMS, STORES } from './checked_scrapers.ts'
import { SCRAPERS } from './scrapers.ts'

const PAGE = 'docs/compatibility.md'
const CHECKED_HEAD = ['Program', 'Settings', 'The store has']
const HEAD = ['Scraper', '`Accept`', 'Answered with', 'Header from']

/** docs/compatibility.md with the formats that scrapers get, and what they store. */
export function scrapersPage(): { readonly path: string; readonly text: string }[] {
  const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8')
  const rows = SCRAPERS.map(({ name, accept, source }) => [
    name,
    code(accept),
    code(FORMATS[chooseFormat(accept)]),
    source,
  ])
  const checked = CHECKED_SCRAPERS.map(({ program, settings, stores }) => [
    PROGRAMS[program],
    settings || 'defaults',
    STORES[stores],
  ])
  const text = replaceMarked(page, 'scrapers', markdownTable(HEAD, rows))
  return [{ path: PAGE, text: replaceMarked(text, 'checked-scrapers', markdownTable(CHECKED_HEAD, checked)) }]
}
