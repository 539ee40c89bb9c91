import { z } from 'zod'
import type { RenderedFile } from '../../grafana/mixin/dashboards/build.ts'
import { alertingSchema } from '../../src/config/alerting_schema.ts'
import { fileSchema } from '../../src/config/schema.ts'
import { PACKAGED_RULES } from './package_data.ts'

/** `${NAME}` and `${NAME:-default}`, which may stand for any value or part of one. */
const VARIABLE = { type: 'string', pattern: '\\$\\{' } as const

/** Values that the program also accepts in a simpler form, by key. */
const SINGLE_OR_LIST = ['base_url']

/** Types that the program reads from text, too. */
const CONVERTED: readonly unknown[] = ['number', 'boolean']

type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * The JSON Schema of the configuration file, for editors and other tools. It has the keys, types and defaults; what
 * needs a file or another key, such as a certificate that belongs to a key, only `sds-exporter check` finds.
 */
export function configSchema(): RenderedFile {
  const text = { title: 'Configuration file of sds-exporter', ...configurationSchema('draft-2020-12') }
  return { path: 'docs/configuration.schema.json', text: `${JSON.stringify(text, null, 2)}\n` }
}

/** The schema as an object, in a draft of JSON Schema. */
export function configurationSchema(target: 'draft-7' | 'draft-2020-12'): JsonSchema {
  return z.toJSONSchema(fileSchema('', alertingSchema(PACKAGED_RULES, undefined)), {
    target,
    io: 'input',
    unrepresentable: 'any',
    reused: 'ref',
    override: ({ jsonSchema }) => adapt(jsonSchema),
  })
}

/** Members of a system that it may inherit. */
const INHERITED = ['auth']

/** Adds the forms that the program converts before it validates. */
function adapt(schema: JsonSchema): void {
  if (schema.required !== undefined)
    schema.required = schema.required.filter((key) => !INHERITED.includes(key))
  for (const key of SINGLE_OR_LIST) {
    const list = schema.properties?.[key]
    // Zod calls this for a schema once for each of its steps.
    if (typeof list === 'object' && list.type === 'array' && schema.properties !== undefined) {
      schema.properties[key] = { anyOf: [{ type: 'string', minLength: 1 }, list] }
    }
  }
  const isLimitedText = schema.pattern !== undefined || schema.enum !== undefined
  if (!isLimitedText && !CONVERTED.includes(schema.type)) return
  const { default: value, ...strict } = schema
  for (const key of Object.keys(schema)) delete schema[key]
  Object.assign(schema, value !== undefined && { default: value }, { anyOf: [strict, VARIABLE] })
}
