import { execFile } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repositoryFiles } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'

/** A copy of the repository with the packages of the original. */
function repositoryCopy() {
  const folder = temporaryFolder()
  const paths = repositoryFiles()
  for (const path of paths) cpSync(path, join(folder.path, path))
  symlinkSync(resolve('node_modules'), join(folder.path, 'node_modules'))
  const read = (path: string) => readFileSync(join(folder.path, path), 'utf8')
  return {
    [Symbol.dispose]: () => folder[Symbol.dispose](),
    read,
    /** Replaces a text in all sources that have it. */
    replace(from: string, to: string) {
      const sources = paths.filter((path) => /^(src|grafana|docs|scripts)\/.*\.(ts|md)$/.test(path))
      const having = sources.filter((path) => read(path).includes(from))
      expect(having.length, from).toBeGreaterThan(0)
      for (const path of having) writeFileSync(join(folder.path, path), read(path).replaceAll(from, to))
    },
    async generate(...flags: readonly string[]): Promise<string> {
      const command = [join(folder.path, 'scripts/generate.ts'), ...flags]
      const run = promisify(execFile)(process.execPath, command)
      return run.then(({ stdout, stderr }) => stdout + stderr).catch(({ stderr }) => stderr)
    },
  }
}

const ALERT = "const spaceOffline = warning('SdsDiskSpaceOffline', {"
const NEW_ALERT = `const disksNone = warning('SdsDisksNone', {
  expr: promql\`\${sumByPool(perNode(select('sds_node_disks')))} == 0\`,
  for: '15m',
  summary: 'A storage pool has no disks.',
  description: \`\${POOL} has no disks.\`,
  advice: 'add disks',
  dashboard: poolPage,
})

`
const ATTRIBUTE = '    sds_node_disk_space_reserved_bytes: {\n'
const NEW_ATTRIBUTE = `    sds_node_disk_space_spare_bytes: {
      help: 'Spare disk space.',
      tag: 'Space',
      attributes: { diskSpaceSpare: {} },
    },
`

test('an alert, an attribute and a name of a metric are generated in one pass', async () => {
  using copy = repositoryCopy()
  copy.replace(ALERT, NEW_ALERT + ALERT)
  copy.replace('unaccounted, spaceOffline]', 'unaccounted, disksNone, spaceOffline]')
  copy.replace('## SdsDisksUnaccounted\n', '## SdsDisksNone\n\nAdd disks.\n\n## SdsDisksUnaccounted\n')
  copy.replace(ATTRIBUTE, NEW_ATTRIBUTE + ATTRIBUTE)
  copy.replace('sds_node_memory_used_bytes', 'sds_node_memory_in_use_bytes')
  expect(await copy.generate()).toContain('wrote docs/metrics.md')
  expect(await copy.generate('--check')).toBe('')
  expect(copy.read('docs/configuration.schema.json')).toContain('SdsDisksNone')
  expect(copy.read('docs/metrics.md')).toContain('diskSpaceSpare')
  expect(copy.read('grafana/dashboards/sds-node.json')).toContain('sds_node_memory_in_use_bytes')
})

test('what is missing is named with its file, all at once, without a stack', async () => {
  using copy = repositoryCopy()
  copy.replace('## SdsDisksBad\n', '## SdsOther\n')
  copy.replace('<a id="SdsCapacityCritical"></a>', '')
  copy.replace('<!-- thresholds: begin -->\n', '')
  expect(await copy.generate()).toBe(
    [
      'docs/runbooks/capacity.md: add <a id="SdsCapacityCritical"></a> to the section "## SdsCapacityHigh"',
      'docs/runbooks/disks.md: add the section "## SdsDisksBad"',
      'docs/alerting.md: add the lines <!-- thresholds: begin --> and <!-- thresholds: end -->\n',
    ].join('\n'),
  )
  copy.replace("title: 'Missing (last 24 h)'", "title: 'Missing for as long as a whole day'")
  expect(await copy.generate()).toMatch(
    /^grafana\/mixin\/dashboards\/fleet\/status\.ts:\d+: panel “Missing for [^\n]*\n$/,
  )
})
