import { faultHelp } from '../../src/emulator/faults/parse.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { pageWith } from '../markdown/page.ts'

/** docs/emulator.md with the table of the faults. */
export const emulatorPage = () =>
  pageWith('docs/emulator.md', {
    faults: tableOf('Fault', faultHelp()),
  })

function tableOf(title: string, rows: readonly (readonly [name: string, description: string])[]): string {
  return markdownTable(
    [title, 'Description'],
    rows.map(([name, description]) => [code(name), description]),
  )
}
