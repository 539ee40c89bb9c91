import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createStatusReader } from '../../src/status/status.ts'
import { statusSources } from '../server/status/status_setup.ts'
import { polledSystem } from '../status/systems.ts'

const page = readFileSync('docs/status.md', 'utf8')
const example: unknown = JSON.parse(/status\?system=.*?^(\{.*?^\})/ms.exec(page)?.[1] ?? '')

/** Their members are no names: health statuses and versions. */
const COUNTS = /(nodes_by_health|software_versions)$/

/** The names of all members, such as `systems.pools.id`. */
function membersOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => membersOf(item, path))
  if (typeof value !== 'object' || value === null || COUNTS.test(path)) return [path]
  return Object.entries(value).flatMap(([name, item]) => membersOf(item, `${path}.${name}`))
}

test('the example has the members of the document', () => {
  const system = polledSystem('a', { p: [{ name: 'n1', health: 'Bad' }] })
  const document = createStatusReader({ ...statusSources([system]), ready: () => true })()
  // The test has no storage system with nodes that answer.
  const shown = membersOf(example).filter((name) => !name.startsWith('.systems.endpoints'))
  const served = membersOf(document).filter((name) => !name.startsWith('.systems.endpoints'))
  expect([...new Set(shown)].sort()).toEqual([...new Set(served)].sort())
})
