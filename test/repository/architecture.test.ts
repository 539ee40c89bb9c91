import { describe, expect, test } from 'vitest'
import {
  cycleFindings,
  folderCycleFindings,
  forbiddenPatternFindings,
  importFindings,
  largeFolderFindings,
  longFunctionFindings,
  packageFindings,
  type Sources,
} from './findings.ts'
import { importsOf } from './imports.ts'
import { readText, repositoryFiles } from './repository.ts'

const sources = sourcesBelow(['src/', 'grafana/mixin/', 'docs/', 'scripts/generators/'])
const scripts = sourcesBelow(['scripts/', 'grafana/mixin/'])
const program = sourcesBelow(['src/', 'grafana/mixin/', 'scripts/'])
/** Below folders whose files people read: of all kinds, not only of code. */
const readByPeople = repositoryFiles().filter((path) => /^(src|grafana|scripts|test)\//.test(path))

function sourcesBelow(folders: readonly string[]): Sources {
  const paths = repositoryFiles().filter(
    (path) => /\.[jt]s$/.test(path) && folders.some((folder) => path.startsWith(folder)),
  )
  return Object.fromEntries(paths.map((path) => [path, readText(path)]))
}

describe('the repository', () => {
  test('has the files that are checked', () => {
    expect(Object.keys(sources)).toContain('src/catalogue.ts')
    expect(importsOf(sources['src/metrics/families.ts'] ?? '')).toEqual([
      { specifier: '../catalogue.ts', typeOnly: false },
      { specifier: '../system_catalogue.ts', typeOnly: false },
    ])
  })

  test.each([
    ['modules import only what they may', importFindings],
    ['packages are imported only in the listed folders', packageFindings],
    ['no import cycles between files', cycleFindings],
    ['no import cycles between folders', folderCycleFindings],
    [
      'no default exports, no module state, no process.env outside of the listed folders',
      forbiddenPatternFindings,
    ],
  ])('%s', (_, findings) => {
    expect(findings(sources)).toEqual([])
  })

  test.each([
    ['no import cycles between files', cycleFindings],
    ['no import cycles between folders', folderCycleFindings],
  ])('scripts: %s', (_, findings) => {
    expect(findings(scripts)).toEqual([])
  })

  test('no folder has more than fifteen files', () => {
    expect(largeFolderFindings(readByPeople)).toEqual([])
  })

  test('no function has more than sixty lines, including closures', () => {
    expect(Object.keys(program)).toContain('scripts/bench.ts')
    expect(longFunctionFindings(program)).toEqual([])
  })
})

test.each<[string, (sources: Sources) => string[], Sources]>([
  [
    'src/api/a.ts may not import src/config/config.ts',
    importFindings,
    { 'src/api/a.ts': `import { a } from '../config/config.ts'` },
  ],
  ['src/stray.ts belongs to no module', importFindings, { 'src/stray.ts': '' }],
  ['src/api/a.ts may not import koa', packageFindings, { 'src/api/a.ts': `import type Koa from 'koa'` }],
  [
    'src/server/a.ts may import only types of node:http',
    packageFindings,
    { 'src/server/a.ts': `import { Server } from 'node:http'` },
  ],
  [
    'src/a.ts → src/b.ts → src/a.ts',
    cycleFindings,
    { 'src/a.ts': `import type { B } from './b.ts'`, 'src/b.ts': `export * from './a.ts'` },
  ],
  [
    'src/a → src/b → src/a',
    folderCycleFindings,
    {
      'src/a/a.ts': `import '../b/a.ts'`,
      'src/b/a.ts': '',
      'src/b/b.ts': `import '../a/b.ts'`,
      'src/a/b.ts': '',
    },
  ],
  ['src/api/a.ts has a default export', forbiddenPatternFindings, { 'src/api/a.ts': 'export default 1' }],
  ['src/a.ts: f has 61 lines', longFunctionFindings, { 'src/a.ts': `function f() {${'\n'.repeat(60)}}` }],
])('the checks find: %s', (finding, findings, wrong) => {
  expect(findings(wrong)).toEqual([finding])
})
