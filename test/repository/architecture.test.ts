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
import { outermostFunctionsOf } from './functions.ts'
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

describe('importsOf', () => {
  test.each([
    [`import { a, type B } from './x.ts'`, './x.ts', false],
    [`import { type A, type B } from './x.ts'`, './x.ts', true],
    [`import type { A } from 'koa'`, 'koa', true],
    [`import {\n  type A,\n  b,\n} from './x.ts'`, './x.ts', false],
    [`import * as x from './x.ts'`, './x.ts', false],
    [`import Koa, { type Context } from 'koa'`, 'koa', false],
    [`export { a } from './x.ts'`, './x.ts', false],
    [`export type { A } from './x.ts'`, './x.ts', true],
    [`export * from './x.ts'`, './x.ts', false],
    [`import './x.ts'`, './x.ts', false],
    [`const x = await import('./x.ts')`, './x.ts', false],
    [`type X = typeof import('./x.ts')`, './x.ts', true],
  ])('%s', (source, specifier, typeOnly) => {
    expect(importsOf(`// first line\n${source}\n`)).toEqual([{ specifier, typeOnly }])
  })

  test('ignores strings and comments', () => {
    const source = `export const a = 1\nexport function f() {\n  return "taken from 'x'"\n}\n// import { a } from 'b'\n`
    expect(importsOf(source)).toEqual([])
  })
})

describe('outermostFunctionsOf', () => {
  test.each<[string, string, ReturnType<typeof outermostFunctionsOf>]>([
    ['declaration', 'export function f(): void {\n}', [{ name: 'f', lines: 2 }]],
    ['arrow function', 'const f = (a: string) =>\n  a', [{ name: 'f', lines: 2 }]],
    ['method', 'class A {\n  f() {\n\n    // reason\n  }\n}', [{ name: 'f', lines: 3 }]],
    ['property', 'const table = { f: async () => {\n} }', [{ name: 'f', lines: 2 }]],
    ['argument', 'run(() => {\n})', [{ name: 'anonymous', lines: 2 }]],
    [
      'closures',
      'function f() {\n  const g = () => {\n  }\n  return { h() {\n  } }\n}',
      [{ name: 'f', lines: 6 }],
    ],
    ['no function', 'export const a: number = 1', []],
  ])('%s', (_, source, expected) => {
    expect(outermostFunctionsOf(source)).toEqual(expected)
  })
})

describe('findings', () => {
  test.each<[string, string, string[]]>([
    ['src/api/a.ts', `import type { A } from '../config/config.ts'`, []],
    ['src/api/a.ts', `import { a } from '../log.ts'`, []],
    ['src/api/a.ts', `import { a } from './b.ts'`, []],
    [
      'src/api/a.ts',
      `import { a } from '../config/config.ts'`,
      ['src/api/a.ts may not import src/config/config.ts'],
    ],
    [
      'src/api/a.ts',
      `import type { A } from '../server/b.ts'`,
      ['src/api/a.ts may not import src/server/b.ts (types)'],
    ],
    [
      'src/emulator/a.ts',
      `import { a } from '../api/feed.ts'`,
      ['src/emulator/a.ts may not import src/api/feed.ts'],
    ],
    ['src/emulator/a.ts', `import { REASONS } from '../api/errors/reasons.ts'`, []],
    [
      'src/catalogue.ts',
      `import type { A } from './api/feed.ts'`,
      ['src/catalogue.ts may not import src/api/feed.ts (types)'],
    ],
    ['grafana/mixin/a.ts', `import { FAMILIES } from '../../src/metrics/families.ts'`, []],
    [
      'grafana/mixin/a.ts',
      `import { x } from '../../src/metrics/own.ts'`,
      ['grafana/mixin/a.ts may not import src/metrics/own.ts'],
    ],
    ['src/stray.ts', '', ['src/stray.ts belongs to no module']],
  ])('modules: %s with %s', (path, source, expected) => {
    expect(importFindings({ [path]: source })).toEqual(expected)
  })

  test.each<[string, string, string[]]>([
    ['src/server/a.ts', `import Koa from 'koa'`, []],
    ['src/server/a.ts', `import type { Router } from '@koa/router'`, []],
    [
      'src/server/a.ts',
      `import { Server } from 'node:http'`,
      ['src/server/a.ts may import only types of node:http'],
    ],
    ['src/api/a.ts', `import type Koa from 'koa'`, ['src/api/a.ts may not import koa']],
    ['src/api/a.ts', `import x from 'left-pad'`, ['src/api/a.ts may not import left-pad']],
    ['src/api/xml.ts', `import { X } from 'fast-xml-parser'`, []],
    [
      'src/server/page.ts',
      `import { X } from 'fast-xml-parser'`,
      ['src/server/page.ts may not import fast-xml-parser'],
    ],
    ['src/catalogue.ts', `import fs from 'node:fs'`, ['src/catalogue.ts may not import node:fs']],
  ])('packages: %s with %s', (path, source, expected) => {
    expect(packageFindings({ [path]: source })).toEqual(expected)
  })

  test('cycles: a cycle is reported once, a diamond is not a cycle', () => {
    const cycle = {
      'src/api/a.ts': `import type { B } from './b.ts'`,
      'src/api/b.ts': `import { a } from './a.ts'`,
    }
    expect(cycleFindings(cycle)).toEqual(['src/api/a.ts → src/api/b.ts → src/api/a.ts'])
    const diamond = {
      'src/api/a.ts': `import './b.ts'\nimport './c.ts'`,
      'src/api/b.ts': `import './d.ts'`,
      'src/api/c.ts': `import './d.ts'`,
      'src/api/d.ts': '',
    }
    expect(cycleFindings(diamond)).toEqual([])
  })

  test('folder cycles: two folders that import each other, with any files', () => {
    const sources = {
      'src/api/http/a.ts': `import type { B } from '../feed/b.ts'`,
      'src/api/feed/b.ts': `import { log } from '../../log.ts'`,
      'src/api/feed/c.ts': `import { d } from '../http/d.ts'`,
      'src/api/http/d.ts': '',
      'src/log.ts': '',
    }
    expect(folderCycleFindings(sources)).toEqual(['src/api/http → src/api/feed → src/api/http'])
    expect(folderCycleFindings({ ...sources, 'src/api/feed/c.ts': '' })).toEqual([])
  })

  test.each<[string, string, string[]]>([
    ['src/api/a.ts', 'export default 1', ['src/api/a.ts has a default export']],
    ['src/api/a.ts', 'let count = 0', ['src/api/a.ts keeps state in the module']],
    ['src/api/a.ts', '  const x = process.env', ['src/api/a.ts reads the environment']],
    ['src/config/a.ts', '  const x = process.env', []],
    ['src/api/a.ts', 'function f() {\n  let x = 0\n}', []],
  ])('forbidden patterns: %s with %s', (path, source, expected) => {
    expect(forbiddenPatternFindings({ [path]: source })).toEqual(expected)
  })

  test('long functions: sixty lines are allowed, sixty-one are not', () => {
    const functionOf = (lines: number) => `function f() {${'\n'.repeat(lines - 1)}}`
    const finding = ['src/a.ts: f has 61 lines']
    expect(longFunctionFindings({ 'src/a.ts': functionOf(60) })).toEqual([])
    expect(longFunctionFindings({ 'src/a.ts': functionOf(61) })).toEqual(finding)
  })
})
