import { readFileSync } from 'node:fs'
import { FORMATS } from '../../src/metrics/lines.ts'
import { chooseFormat } from '../../src/server/metrics/negotiation.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { replaceMarked } from '../markdown/marked.ts'
import { SCRAPERS } from './scrapers.ts'

const PAGE = 'docs/compatibility.md'
const HEAD = ['Scraper', '`Accept`', 'Answered with', 'Header from']

/** docs/compatibility.md with the formats that scrapers get. */
export function scrapersPage(): { readonly path: string; readonly text: string }[] {
  const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8')
  const rows = SCRAPERS.map(({ name, accept, source }) => [
    name,
    code(accept),
    code(FORMATS[chooseFormat(accept)]),
    source,
  ])
  return [{ path: PAGE, text: replaceMarked(page, 'scrapers', markdownTable(HEAD, rows)) }]
}
