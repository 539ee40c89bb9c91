import { expect, test } from 'vitest'
import { commandPaths, manualPage, renderManual } from '../../scripts/generators/manual_page.ts'
import { commandTree } from '../../src/commands/cli/command_tree.ts'
import { createProgram } from '../../src/commands/program.ts'

test('the manual has every command and every flag', async () => {
  // What a reader sees of the escapes.
  const page = (await manualPage()).replaceAll('\\-', '-').replaceAll(/\\f[BIR]/g, '')
  for (const { path, node } of commandPaths(commandTree(await createProgram()))) {
    if (path.length > 0) expect(page).toContain(`\n.SS ${['sds-exporter', ...path].join(' ')}`)
    for (const { long } of node.flags) expect(page).toMatch(new RegExp(`^(-\\w, )?${long}( |$)`, 'm'))
  }
})

test('the manual has the sections that readers look for', async () => {
  const sections = [...(await manualPage()).matchAll(/^\.SH (.+)$/gm)].map(([, title]) => title)
  for (const title of ['DESCRIPTION', 'FILES', 'ENVIRONMENT', 'EXIT STATUS', 'EXAMPLES'])
    expect(sections).toContain(title)
})

test('text of commands has no meaning for the macros', () => {
  const page = renderManual({
    name: 'program',
    description: 'A program.',
    arguments: [],
    argumentChoices: [],
    flags: [],
    commands: [
      {
        name: 'run',
        description: '.dot at\nthe beginning',
        arguments: ['id'],
        argumentChoices: [],
        commands: [],
        flags: [
          {
            short: '-f',
            long: '--file',
            placeholder: '<file>',
            description: '\'quoted" \\path-name',
            value: 'file',
            defaultText: 'a.yml',
          },
          {
            short: undefined,
            long: '--level',
            placeholder: '<level>',
            description: 'level',
            value: ['low', 'high'],
            defaultText: undefined,
          },
        ],
      },
    ],
  })
  expect(page).toContain(
    [
      '.SS program run ID',
      '\\&.dot at the beginning.',
      '.TP',
      '\\fB\\-f\\fR, \\fB\\-\\-file\\fR \\fIfile\\fR',
      "\\&'quoted\\(dq \\epath\\-name. Default: a.yml.",
      '.TP',
      '\\fB\\-\\-level\\fR \\fIlevel\\fR',
      'level. One of: low, high.',
      '.SH OTHER FLAGS',
    ].join('\n'),
  )
})
