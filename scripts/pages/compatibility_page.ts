import { FORMATS } from '../../src/metrics/lines.ts'
import { chooseFormat } from '../../src/server/metrics/negotiation.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { CHECKED_SCRAPERS, PROGRAMS, STORES } from './checked_scrapers.ts'
import { GRAFANA_SCHEMAS } from './grafana_schemas.ts'
import { pageWith } from './page.ts'
import { SCRAPERS } from './scrapers.ts'

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
export function compatibilityPage() {
  const texts = Object.entries(TABLES).map(([name, table]) => [name, table()])
  return pageWith('docs/compatibility.md', Object.fromEntries(texts))
}
