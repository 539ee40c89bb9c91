import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHECKED_SCRAPERS } from '../../scripts/pages/checked_scrapers.ts'
import { SCRAPERS } from '../../scripts/pages/scrapers.ts'
import { COLLECTOR } from '../../scripts/tools/scrapers.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'

test('each checked scraper has a row with its header', () => {
  const names = SCRAPERS.map(({ name }) => name)
  for (const { header } of CHECKED_SCRAPERS) expect(names).toContain(header)
})

test('the modules of the collector are those that it imports, all of one release', () => {
  const imported = [...readFileSync(COLLECTOR.source, 'utf8').matchAll(/^\t"([^"/]+\.[^"]+)"$/gm)]
  const modules = Object.keys(COLLECTOR.modules)
  const moduleOf = (path: string) =>
    modules.filter((module) => path === module || path.startsWith(`${module}/`)).at(-1)
  expect(new Set(imported.map(([, path = '']) => moduleOf(path)))).toEqual(new Set(modules))
  const releases = new Set(Object.values(COLLECTOR.modules).map((version) => version.split('.')[1]))
  expect(releases).toEqual(new Set([COLLECTOR.version.split('.')[1], '71']))
})

test('without Go, a build says what is missing', async () => {
  using folder = temporaryFolder()
  const code = `const { buildProgram } = await import('./scripts/tools/go_programs.ts')
    const { COLLECTOR } = await import('./scripts/tools/scrapers.ts')
    buildProgram(COLLECTOR, ${JSON.stringify(folder.path)})`
  const { code: exit, stderr } = await run(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: folder.path },
  })
  expect(exit).toBe(1)
  expect(stderr).toContain('install Go 1.26 or newer')
})
