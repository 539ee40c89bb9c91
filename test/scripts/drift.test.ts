import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyDrift, findDrift } from '../../scripts/generators/drift.ts'
import type { Generator } from '../../scripts/generators/registry.ts'
import { temporaryFolder } from '../support/folders.ts'

const generator = (files: Record<string, string>): Generator => ({
  what: 'things',
  files: async () => Object.entries(files).map(([path, text]) => ({ path, text })),
})

test('findDrift reports missing, different and leftover files, and applyDrift removes the drift', async () => {
  using folder = temporaryFolder()
  const first = [{ ...generator({ 'out/a.json': '1\n', 'out/b.json': '2\n', 'out/c.json': '3\n' }) }]
  applyDrift(await findDrift(first, folder.path), folder.path)
  expect(await findDrift(first, folder.path)).toEqual([])

  const second = [
    {
      ...generator({ 'out/a.json': '1', 'out/b.json': '2\n', 'out/d.json': 'ä' }),
      owns: { folder: 'out', suffix: '.json' },
    },
  ]
  const drifts = await findDrift(second, folder.path)
  expect(drifts).toEqual([
    { path: 'out/a.json', problem: 'differs', text: '1' },
    { path: 'out/d.json', problem: 'missing', text: 'ä' },
    { path: 'out/c.json', problem: 'no longer generated', text: undefined },
  ])
  applyDrift(drifts, folder.path)
  expect(await findDrift(second, folder.path)).toEqual([])
  expect(readFileSync(join(folder.path, 'out/d.json'), 'utf8')).toBe('ä')
})

test('ignores files without the suffix in an owned folder', async () => {
  using folder = temporaryFolder()
  folder.write('notes.md', 'mine')
  const owner = { ...generator({}), owns: { folder: '.', suffix: '.json' } }
  expect(await findDrift([owner], folder.path)).toEqual([])
})

test('refuses two generators for one file', async () => {
  using folder = temporaryFolder()
  const twice = [generator({ 'a.md': '1' }), generator({ 'a.md': '1' })]
  await expect(findDrift(twice, folder.path)).rejects.toThrow('a.md is generated twice')
})
