import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createStatusReader } from '../../src/status/status.ts'
import { statusSources } from '../server/status/status_setup.ts'
import { polledSystem } from '../status/systems.ts'

/** The members of the page, each a row of a table. */
const described = new Set(
  [...readFileSync('docs/status.md', 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name),
)

/** Their members are no names: health statuses and versions. Endpoints are described in their row. */
const OTHERS = /^(nodes_by_health|software_versions|endpoints)$/

function membersOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(membersOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [
    name,
    ...(OTHERS.test(name) ? [] : membersOf(item)),
  ])
}

test('the page describes each member of the document', () => {
  const system = polledSystem('a', { p: [{ name: 'n1', health: 'Bad' }] })
  const members = membersOf(createStatusReader({ ...statusSources([system]), ready: () => true })())
  expect(new Set(members).size).toBeGreaterThan(60)
  expect(members.filter((name) => !described.has(name))).toEqual([])
})
