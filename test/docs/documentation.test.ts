import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { readRules } from '../../src/alerting/package_files.ts'
import { loadAlerting, parseConfig } from '../../src/config/load.ts'
import { FAULT_NAMES } from '../../src/emulator/faults/table.ts'
import { PROFILES } from '../../src/emulator/protocol/profiles.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'

const PAGES = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'grafana/**/*.md'])
const configuration = readFileSync('docs/configuration.md', 'utf8')

/** The first YAML block of a page. */
function yamlOf(page: string): string {
  return /```yaml\n(.*?)```/s.exec(page)?.[1] ?? ''
}

/** The anchors of a page: its own, and those of its headings as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, 'utf8')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, anchor = '']) => anchor)]
}

const parse = (text: string) =>
  parseConfig(text, { file: 'docs/example.yml', environment: { SDS_TOKEN: 'abc' } })

test('the configuration reference shows the defaults of the configuration', () => {
  const shown = parse(yamlOf(configuration))
  const [system] = shown.systems
  const minimal = parse(
    `systems:\n  - {name: frankfurt, base_url: "https://ecs1.example.net:4443", auth: {token: abc}}`,
  )
  const { pools, labels } = system ?? {}
  expect(shown).toEqual({ ...minimal, systems: [{ ...minimal.systems[0], pools, labels }] })
  expect(pools).toHaveLength(1)
  expect(labels).toEqual({ site: 'fra', tier: 'gold' })
})

test('the alerting page has a valid example with every key', () => {
  const example = yamlOf(readFileSync('docs/alerting.md', 'utf8'))
  using folder = temporaryFolder()
  const config = loadAlerting(folder.write('alerting.yml', example), {})
  const { overrides, ...rest } = config
  expect(Object.values(rest).every((value) => Object.keys(value ?? {}).length > 0)).toBe(true)
  expect(overrides.map(({ pool }) => pool)).toEqual([undefined, 'archive'])
  expect(config.values['job']).toBe(readRules().job)
})

test('the page of OTLP has a valid example with every key and its default', () => {
  const [, example] = readFileSync('docs/otlp.md', 'utf8').matchAll(/```yaml\n(.*?)```/gs)
  const { properties, $defs } = JSON.parse(readFileSync('docs/configuration.schema.json', 'utf8'))
  const otlp = $defs[properties.otlp.$ref.split('/').at(-1)]
  expect(Object.keys(parseYaml(example?.[1] ?? '').otlp).sort()).toEqual(Object.keys(otlp.properties).sort())
  using folder = temporaryFolder()
  folder.write('otlp-headers', 'Authorization: Basic abc\n')
  folder.write('ca.pem', `${rootCertificates[0]}\n`)
  const read = (text: string) =>
    parseConfig(`systems: [{name: a, base_url: "https://a:4443", auth: {token: t}}]\n${text}`, {
      file: join(folder.path, 'example.yml'),
      environment: {},
    }).otlp
  const { intervalMs, timeoutMs, isCompressed } = read('otlp: {endpoint: "https://otlp.example.net"}') ?? {}
  expect(read(example?.[1] ?? '')).toMatchObject({ intervalMs, timeoutMs, isCompressed })
})

test.each([
  ['serve', 'configuration.md'],
  ['check', 'configuration.md'],
  ['rules', 'alerting.md'],
  ['backfill', 'history.md'],
  ['capture', 'recordings.md'],
])('of %s every flag is in %s', async (command, file) => {
  const { stdout } = await run(process.execPath, ['src/main.ts', command, '--help'])
  const flags = [...stdout.matchAll(/^ {2}(--[a-z.-]+)/gm)].map(([, flag]) => flag)
  expect(flags.length).toBeGreaterThan(1)
  const page = readFileSync(`docs/${file}`, 'utf8')
  expect(flags.filter((flag) => flag !== '--help' && !page.includes(`\`${flag}\``))).toEqual([])
})

test('assumptions about real systems name faults or profiles of the emulator', () => {
  const page = readFileSync('docs/assumptions.md', 'utf8')
  const [, table = ''] = /## What the code assumes(.*)/s.exec(page) ?? []
  const rows = [...table.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | ')).slice(2)
  expect(rows.length).toBeGreaterThan(15)
  const names: readonly string[] = [...FAULT_NAMES, ...Object.keys(PROFILES)]
  for (const [assumed, , , by = ''] of rows) {
    const named = [...by.matchAll(/`([\w-]+)[^`]*`/g)].map(([, name = '']) => name)
    expect(
      named.filter((name) => !names.includes(name)),
      assumed,
    ).toEqual([])
  }
})

test('the first configuration of the README is valid, except for missing files', () => {
  const text = yamlOf(readFileSync('README.md', 'utf8'))
  expect(text).toContain('systems:')
  expect(() => parse(text)).toThrow(/2 problems\n.*password_file.*no such file\n.*ca_file.*no such file/)
})

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(page, 'utf8').replace(/```.*?```/gs, '')
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)].map(
    ([, link = '', anchor]) => ({ path: link === '' ? page : join(dirname(page), link), anchor }),
  )

  test('links to files that exist', () => {
    expect(links.filter(({ path }) => !existsSync(path))).toEqual([])
  })

  test('names folders that exist', () => {
    const folders = [...text.matchAll(/`([a-z][\w/]*)\/`/g)].map(([, folder = '']) => folder)
    // The tables of the architecture name folders below that of their row.
    const below = (folder: string) => globSync(`{src,scripts,test,grafana,deploy}/{**/,}${folder}`).length > 0
    const isThere = (folder: string) => existsSync(folder) || (page === 'ARCHITECTURE.md' && below(folder))
    expect(folders.filter((folder) => !isThere(folder))).toEqual([])
  })

  test('links to headings that exist', () => {
    const missing = links.filter(
      ({ path, anchor }) => anchor !== undefined && existsSync(path) && !anchorsOf(path).includes(anchor),
    )
    expect(missing).toEqual([])
  })
})
