import type { AttributeStatus, CategoryStatus, PoolStatus } from '../../../status/model.ts'
import { counted } from '../../../text.ts'
import { type Content, type Html, html } from '../../page/html.ts'
import { cell, known, sampleAge, table } from './elements.ts'

const SOURCE_WORDS = { feed: 'dashboard API', query: 'Flux API' } as const

const TITLES = ['Category', 'Source', 'Newest sample', 'Served', 'Not served by this system']

export function coverageTable({ categories, attributes }: PoolStatus): Html {
  if (attributes.length === 0) return html``
  const of = (category: CategoryStatus['category'] | null) =>
    attributes.filter((one) => one.category === category)
  const rows = [
    coverageRow('identity and health', undefined, of(null)),
    ...categories.map((one) => coverageRow(one.category, one, of(one.category))),
  ]
  const served = attributes.filter((one) => one.served > 0).length
  const summary = `${served} of ${attributes.length} attributes available`
  return html`<details class="coverage" data-key="coverage"><summary>${summary}</summary><table>${table(TITLES, rows)}</table></details>`
}

function coverageRow(
  name: string,
  category: CategoryStatus | undefined,
  attributes: readonly AttributeStatus[],
): Html {
  const sources = [...new Set(attributes.flatMap(({ source }) => source ?? []))]
  const missing = attributes.filter(({ served, unreadable }) => served + unreadable === 0)
  const unreadable = attributes.filter((one) => one.unreadable > 0)
  const partly = attributes.filter((one) => one.served > 0 && one.absent > 0)
  const age = category?.newest_sample_age_seconds ?? null
  return html`<tr><th scope="row">${name}</th>${[
    cell('Source', sources.map((source) => SOURCE_WORDS[source]).join(', ') || 'none'),
    cell('Newest sample', known(age, sampleAge)),
    cell('Served', [
      `${attributes.length - missing.length} of ${attributes.length}`,
      listOf('unreadable', unreadable, ({ unreadable: nodes }) => counted(nodes, 'node')),
      listOf('only some nodes', partly, ({ served, absent }) => `${served} of ${served + absent}`),
    ]),
    cell('Not served', missing.map((one) => one.name).join(', ')),
  ]}</tr>`
}

function listOf(
  title: string,
  attributes: readonly AttributeStatus[],
  text: (attribute: AttributeStatus) => string,
): Content {
  if (attributes.length === 0) return undefined
  return html`<br>${title}: ${attributes.map((one) => `${one.name} (${text(one)})`).join(', ')}`
}
