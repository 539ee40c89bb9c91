import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configSchema } from '../../scripts/generators/config_schema.ts'
import { readText } from '../repository/repository.ts'

const validate = new Ajv2020({ strict: false }).compile(JSON.parse(configSchema().text))
const minimal = { name: 'a', base_url: 'https://a:4443', auth: { token: 't' } }

describe('the schema of the configuration accepts', () => {
  test.each([
    'deploy/systemd/sds-exporter.yml',
    'deploy/compose/sds-exporter.yml',
    'deploy/kubernetes/overlays/production/sds-exporter.yml',
  ])('%s', (file) => {
    expect(validate(parse(readText(file)))).toBe(true)
  })

  test.each(['docs/configuration.md', 'docs/alerting.md'])('the example of %s', (page) => {
    const example = parse(/```yaml\n(.*?)```/s.exec(readText(page))?.[1] ?? '')
    expect(validate({ systems: [minimal], ...example })).toBe(true)
  })

  test('variables instead of numbers, booleans and choices', () => {
    const file = `
      limits: {concurrency: "\${CONCURRENCY:-4}"}
      performance: {source: "\${SOURCE}"}
      forecast: {braces: "\${BRACES}"}`
    expect(validate({ systems: [minimal], ...parse(file) })).toBe(true)
  })
})

describe('the schema of the configuration refuses', () => {
  test.each<[string, object]>([
    ['an unknown key', { systems: [minimal], pol: {} }],
    ['an unknown key of a system', { systems: [{ ...minimal, url: 'x' }] }],
    ['a missing address', { systems: [{ name: 'a', auth: { token: 't' } }] }],
    ['no systems', { systems: [] }],
    ['text as a number', { systems: [minimal], limits: { concurrency: 'four' } }],
    ['an unknown threshold', { systems: [minimal], alerting: { thresholds: { tea: 1 } } }],
  ])('%s', (_, value) => {
    expect(validate(value)).toBe(false)
  })
})
