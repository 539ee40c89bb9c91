import { expect, test } from 'vitest'
import { markdownTable } from '../../scripts/markdown/markdown.ts'
import { HEAD, requestRows, SYSTEMS } from '../../scripts/request_load/table.ts'
import { readText } from '../repository/repository.ts'

/** Rows that are measured here; `npm run request:load` measures all. */
const MEASURED = SYSTEMS.filter(({ pools }) => pools === 1)

test('docs/operations.md has the requests that emulated systems count', { timeout: 300_000 }, async () => {
  const page = readText('docs/operations.md')
  const [head = '', rule = '', ...rows] = markdownTable(HEAD, await requestRows(MEASURED)).split('\n')
  expect(page).toContain(`${head}\n${rule}\n`)
  expect(MEASURED.length).toBeGreaterThan(1)
  for (const row of rows) expect(page).toContain(row)
})
