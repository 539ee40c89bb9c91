import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { AlertingConfig } from '../alerting/config.ts'
import { readRules } from '../alerting/package_files.ts'
import { alertingSchema } from './alerting/schema.ts'
import type { Config } from './config.ts'
import { CONFIG_KEYS, fileSchema } from './schema.ts'
import { readTextFile } from './values/files.ts'
import { ConfigError, type Problem, pathText, unknownKey } from './values/problems.ts'
import { type Environment, substituteVariables } from './values/variables.ts'
import { parseYaml, type YamlText } from './values/yaml_text.ts'

/**
 * Reads and checks a configuration file.
 * @throws {ConfigError} with every problem of the file at once
 */
export function loadConfig(file: string, environment: Environment): Config {
  const read = readTextFile(file, 'configuration')
  if ('problem' in read) throw new ConfigError(file, [{ path: '', message: read.problem }])
  return parseConfig(read.text, { file, environment })
}

/** As {@link loadConfig}, for text that is already loaded. Relative paths resolve against the folder of `file`. */
export function parseConfig(text: string, from: { file: string; environment: Environment }): Config {
  const yaml = parseYaml(from.file, text)
  return checked(fileSchema(dirname(resolve(from.file)), alertingSection(yaml.data)), yaml, from)
}

/** The section `alerting`. Without it in the file, nothing of the rules needs to be read. */
function alertingSection(data: unknown): z.ZodType<AlertingConfig> {
  return hasKey(data, 'alerting') ? alertingSchema(readRules(), systemNames(data)) : z.never()
}

/**
 * Reads the section `alerting` of a configuration file, or of a file that has only this section. Other sections are not
 * checked, so that neither their secrets nor their variables are needed.
 * @throws {ConfigError} with every problem of the section at once
 */
export function loadAlerting(file: string, environment: Environment): AlertingConfig {
  const read = readTextFile(file, 'configuration')
  if ('problem' in read) throw new ConfigError(file, [{ path: '', message: read.problem }])
  const yaml = parseYaml(file, read.text)
  const names = systemNames(yaml.data)
  const data = names === undefined ? yaml.data : without(yaml.data, CONFIG_KEYS)
  const alerting = alertingSchema(readRules(), names)
  const schema = z.strictObject(
    { alerting: names === undefined ? alerting : alerting.prefault({}) },
    'expected a mapping with the key alerting',
  )
  return checked(schema, { ...yaml, data }, { file, environment }).alerting
}

function hasKey<Key extends string>(data: unknown, key: Key): data is Record<Key, unknown> {
  return typeof data === 'object' && data !== null && key in data
}

function without(data: unknown, keys: readonly string[]): unknown {
  return Object.fromEntries(Object.entries(data as object).filter(([key]) => !keys.includes(key)))
}

/** Names of the systems of the file; undefined if it has no systems. */
function systemNames(data: unknown): string[] | undefined {
  if (!hasKey(data, 'systems')) return undefined
  const systems: readonly unknown[] = Array.isArray(data.systems) ? data.systems : []
  return systems.flatMap((system) => (hasKey(system, 'name') ? String(system.name) : []))
}

function checked<Output>(
  schema: z.ZodType<Output>,
  yaml: YamlText,
  from: { file: string; environment: Environment },
): Output {
  const problems: Problem[] = []
  const data = substituteVariables(yaml.data, from.environment, problems)
  problems.push(...duplicateNames(data))
  const parsed = schema.safeParse(data, { reportInput: true })
  if (parsed.success && problems.length === 0) return parsed.data
  const others = (parsed.error?.issues ?? []).flatMap((issue) => schemaProblems(issue, yaml.placeOf))
  // An unset variable may cause another problem at the same path; report it once.
  const reported = new Set(problems.map(({ path }) => path))
  const independent = others.filter(({ path }) => !reported.has(path))
  throw new ConfigError(from.file, [...problems, ...independent])
}

/** Checked here because the schema reports duplicates only if everything else is valid. */
function duplicateNames(data: unknown): Problem[] {
  const systems = data !== null && typeof data === 'object' && 'systems' in data ? data.systems : []
  if (!Array.isArray(systems)) return []
  const names = systems.map((system: unknown) =>
    system !== null && typeof system === 'object' && 'name' in system ? system.name : undefined,
  )
  const firsts = new Map<unknown, number>()
  return names.flatMap((name, index) => {
    const first = firsts.get(name) ?? index
    firsts.set(name, first)
    if (typeof name !== 'string' || first === index) return []
    return [{ path: `systems[${index}].name`, message: `systems[${first}] has the same name` }]
  })
}

/** One zod issue may contain several problems: unknown keys are reported one by one, each with its path. */
function schemaProblems(issue: z.core.$ZodIssue, placeOf: YamlText['placeOf']): Problem[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => unknownKey([...issue.path, key], placeOf))
  if (issue.code === 'invalid_union') {
    const last = issue.errors.at(-1)?.[0]
    if (last !== undefined) return schemaProblems({ ...last, path: [...issue.path, ...last.path] }, placeOf)
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined
  return [{ path: pathText(issue.path), message: missing ? `missing: ${issue.message}` : issue.message }]
}
