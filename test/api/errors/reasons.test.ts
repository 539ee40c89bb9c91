import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { REASONS } from '../../../src/api/errors/reasons.ts'
import { REJECTIONS } from '../../../src/api/parse/json.ts'

const reliability = readFileSync('docs/reliability.md', 'utf8')

/** The first cells of the table below a heading. */
function rowsBelow(heading: string): string[] {
  const [, section = ''] = new RegExp(`^## ${heading}\\n(.*?)(?=^## )`, 'ms').exec(reliability) ?? []
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name)
}

describe('docs/reliability.md', () => {
  test.each([
    ['Reasons', REASONS],
    ['Rejected values', REJECTIONS],
  ])('%s: has a row for each, in the order of the source', (heading, reasons) => {
    expect(rowsBelow(heading)).toEqual(Object.keys(reasons))
  })
})
