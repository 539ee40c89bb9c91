import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TOOL_NAMES, type Tool, versionArgumentsOf } from '../../scripts/tools/table.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { toolPath } from '../support/tools.ts'

test('changes nothing if every tool is provided', async () => {
  const before = TOOL_NAMES.map(toolPath)
  const done = await run(process.execPath, ['scripts/tools.ts'])
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toContain(`tools: ${TOOL_NAMES.join(', ')} and fonts are provided\n`)
  expect(TOOL_NAMES.map(toolPath)).toEqual(before)
})

/** Their packages were built without a version. */
const WITHOUT_VERSION: readonly Tool[] = ['victoria-metrics']

test.each(TOOL_NAMES)('%s runs', async (tool) => {
  const { code, stdout, stderr } = await run(toolPath(tool), versionArgumentsOf(tool))
  expect(code).toBe(0)
  if (!WITHOUT_VERSION.includes(tool)) expect(`${stdout}${stderr}`).toMatch(/\d+\.\d+/)
})

test('fails with instructions if a tool cannot be provided', async () => {
  using folder = temporaryFolder()
  cpSync('scripts', join(folder.path, 'scripts'), { recursive: true })
  folder.write('package.json', '{"type": "module"}')
  const script = join(folder.path, 'scripts/tools.ts')
  const done = await run(process.execPath, [script], { env: { PATH: join(folder.path, 'empty') } })
  expect(done).toMatchObject({ code: 1, stdout: 'tools: downloading the Debian package prometheus\n' })
  expect(done.stderr).toContain('prometheus is missing: apt-get cannot be run')
  expect(done.stderr).toContain('put prometheus 2.42 or newer into PATH')
})
