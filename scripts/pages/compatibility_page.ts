import { readFileSync } from 'node:fs'
import { FORMATS } from '../../src/metrics/lines.ts'
import { chooseFormat } from '../../src/server/metrics/negotiation.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { replaceMarked } from '../markdown/marked.ts'
import { CHECKED_SCRAPERS, PROGRAMS, STORES } from './checked_scrapers.ts'
import { GRAFANA_SCHEMAS } from './grafana_schemas.ts'
import { SCRAPERS } from './scrapers.ts'

const PAGE = 'docs/compatibility.md'

/** The tables of the page, by the name of their comments. */
const TABLES = {
  scrapers: () => {
    const rows = SCRAPERS.map(({ name, accept, source }) => [
      name,
      code(accept),
      code(FORMATS[chooseFormat(accept)]),
      source,
    ])
    return markdownTable(['Scraper', '`Accept`', 'Answered with', 'Header from'], rows)
  },
  'checked-scrapers': () => {
    const rows = CHECKED_SCRAPERS.map(({ program, settings, stores }) => [
      PROGRAMS[program],
      settings || 'defaults',
      STORES[stores],
    ])
    return markdownTable(['Program', 'Settings', 'The store has'], rows)
  },
  'grafana-schemas': () => {
    const rows = GRAFANA_SCHEMAS.map(({ version, unknown }) => [
      version,
      unknown.map(({ in: place, member }) => `${code(member)} (${place})`).join('; ') || 'none',
      unknown.map(({ member, effect }) => `${code(member)}: ${effect}`).join('; '),
    ])
    return markdownTable(['Grafana', 'Members that it does not know', 'Effect'], rows)
  },
} as const satisfies Record<string, () => string>

/** docs/compatibility.md with its tables. */
export function compatibilityPage(): { readonly path: string; readonly text: string }[] {
  const page = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8')
  const text = Object.entries(TABLES).reduce(
    (done, [name, table]) => replaceMarked(done, name, table()),
    page,
  )
  return [{ path: PAGE, text }]
}
