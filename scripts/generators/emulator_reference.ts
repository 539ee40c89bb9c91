import { faultHelp } from '../../src/emulator/faults/parse.ts'
import { OPERATION_HELP } from '../../src/emulator/protocol/operations.ts'
import { code, markdownTable } from '../markdown/markdown.ts'
import { pageWith } from '../markdown/page.ts'

/** docs/emulator.md with the tables of the faults and of the operations. */
export const emulatorPage = () =>
  pageWith('docs/emulator.md', {
    faults: tableOf('Fault', faultHelp()),
    operations: tableOf('Operation', Object.entries(OPERATION_HELP)),
  })

function tableOf(title: string, rows: readonly (readonly [name: string, description: string])[]): string {
  return markdownTable(
    [title, 'Description'],
    rows.map(([name, description]) => [code(name), description]),
  )
}
