import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import type { Config } from './config.ts'
import { fileSchema } from './schema.ts'
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
  const problems: Problem[] = []
  const data = substituteVariables(yaml.data, from.environment, problems)
  problems.push(...duplicateNames(data))
  const parsed = fileSchema(dirname(resolve(from.file))).safeParse(data, { reportInput: true })
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
