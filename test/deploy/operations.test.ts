import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createProgram } from '../../src/commands/program.ts'
import { parseConfig } from '../../src/config/load.ts'
import { FAMILIES } from '../../src/metrics/families.ts'
import { readText } from '../repository/repository.ts'

const text = readText('docs/operations.md')
const migration = readText('docs/migration.md')
const section = (title: string): string => {
  const found = text.split(/^(?=#{2,3} )/m).find((part) => part.startsWith(`${title}\n`))
  if (found === undefined) throw new Error(`docs/operations.md has no section ${title}`)
  return found
}
/** The cells of all table rows in a part, without table heads. */
const rows = (part: string): string[][] =>
  part
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (-|There|Result|What|From)/.test(line))
    .map((line) => line.slice(2, -2).split(' | '))

const families = new Map(FAMILIES.map((family) => [family.name, family]))

describe('metrics', () => {
  test('in the text exist, with their labels', () => {
    const named = [...`${text}${migration}`.matchAll(/\b(sds_[a-z_]+)(?:\{([a-z_,]+)(?==|!|[,}]))?/g)]
    const wrong = named.filter(([, name = '', labels]) => {
      if (name === 'sds_pool_') return false
      const known = (families.get(name) ?? families.get(name.replace(/_bucket$/, '')))?.labels
      return (
        known === undefined ||
        (labels ?? '').split(',').some((label) => label !== '' && !known.includes(label))
      )
    })
    expect(named.length).toBeGreaterThan(80)
    expect(wrong.map(([all]) => all)).toEqual([])
  })

  test('of other exporters have a counterpart or a dash', () => {
    const table = rows(migration)
    expect(table.length).toBeGreaterThan(40)
    expect(table.filter(([, ours = '']) => !/\bsds_|^–/.test(ours))).toEqual([])
    expect(table.filter(([theirs = '']) => /\bsds_/.test(theirs))).toEqual([])
    const theirs = table.flatMap(([cell = '']) => cell.match(/\b(emcecs|ecs|obs)_\w+/g) ?? [])
    const perProject = migration.split(/^## |^The fork /m).slice(1)
    for (const project of perProject) {
      const names = rows(project).map(([cell]) => cell)
      expect(new Set(names).size).toBe(names.length)
    }
    expect(theirs.length).toBeGreaterThan(60)
  })
})

test('troubleshooting has a cause and a remedy for every symptom', () => {
  const table = rows(section('### By symptom'))
  expect(table.length).toBeGreaterThan(12)
  expect(table.filter((cells) => cells.length !== 3 || cells.some((cell) => cell.trim() === ''))).toEqual([])
})

describe('the text agrees with the program on', async () => {
  const program = await createProgram()

  test('flags and commands', () => {
    const commands = [...text.matchAll(/sds-exporter (check|dashboards|serve|demo|doctor|nodes|health)\b/g)]
    const known = program.commands.map((command) => command.name())
    expect(commands.map(([, name]) => name).filter((name) => !known.includes(name ?? ''))).toEqual([])
    const flags = new Set(program.commands.flatMap(({ options }) => options.map(({ long }) => long)))
    const named = [...text.matchAll(/--(?:web|admin|config)\.[a-z.-]+[a-z]/g)].map(([flag]) => flag)
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((flag) => !flags.has(flag))).toEqual([])
  })

  test('ports', () => {
    const serve = program.commands.find((command) => command.name() === 'serve')
    const portOf = (flag: string) =>
      String(serve?.options.find(({ long }) => long === flag)?.defaultValue)
        .split(':')
        .at(-1)
    const ports = rows(section('### Ports')).map(([, , port]) => port)
    expect(ports).toEqual([
      '4443/tcp',
      '9021/tcp',
      '4318/tcp',
      '53',
      `${portOf('--web.listen-address')}/tcp`,
      `${portOf('--admin.listen-address')}/tcp`,
    ])
  })

  test('the first configuration', () => {
    const yaml = /```yaml\n(.*?)```/s.exec(section('## Installation'))?.[1] ?? ''
    expect(parse(yaml).systems).toHaveLength(1)
    expect(() => parseConfig(yaml, { file: 'x.yml', environment: {} })).toThrow(
      /2 problems\n.*password_file.*\n.*ca_file/,
    )
  })
})
