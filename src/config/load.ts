import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { AlertingConfig } from '../alerting/config.ts'
import { readRules } from '../alerting/package_files.ts'
import { type ReadText, readTextFile } from '../values/files.ts'
import { alertingSchema } from './alerting_schema.ts'
import type { Config } from './config.ts'
import { inheritedValue, isMapping, withInherited } from './inheritance.ts'
import { variableNote } from './otlp.ts'
import { alertingFileSchema, fileSchema, OTHER_KEYS } from './schema.ts'
import { ConfigError, type ConfigProblem, pathText } from './values/problems.ts'
import { PARSE_OPTIONS, schemaProblems } from './values/schema_problems.ts'
import { type Environment, substituteVariables } from './values/variables.ts'
import { parseYaml, type YamlText } from './values/yaml_text.ts'

export interface LoadOptions {
  /**
   * The name of the only system that is needed: problems of the others are ignored, and then they are not in the result.
   * If no system has this name, all are needed.
   */
  readonly system?: string | undefined
  /** Reads the file and the files that it names. */
  readonly read?: ReadText
}

/** Reads and checks a configuration file. @throws {ConfigError} with every problem of the file at once */
export function loadConfig(file: string, environment: Environment, options: LoadOptions = {}): Config {
  const { read = readTextFile } = options
  const found = read(file, 'configuration')
  if ('problem' in found) throw new ConfigError(file, [{ path: '', message: found.problem }])
  return parseConfig(found.text, { file, environment, ...options })
}

interface Source extends LoadOptions {
  readonly file: string
  readonly environment: Environment
}

/** As {@link loadConfig}, for text that is already loaded. Relative paths resolve against the folder of `file`. */
export function parseConfig(text: string, { file, environment, system, read }: Source): Config {
  const yaml = parseYaml(file, text)
  const schema = fileSchema(dirname(resolve(file)), alertingSection(yaml.data), read, environment)
  const found = check(schema, yaml, environment)
  const only = system === undefined ? undefined : onlySystem(yaml.data, system)
  if (only === undefined || found.problems.length === 0) return resultOf(file, found)
  const problems = found.problems.filter(({ path }) => !only.isOfOthers(path))
  return resultOf(file, { problems, result: check(schema, { ...yaml, data: only.data }, environment).result })
}

/** The section `alerting`. Without it in the file, nothing of the rules needs to be read. */
function alertingSection(data: unknown): z.ZodType<AlertingConfig> {
  return isMapping(data) && 'alerting' in data ? alertingSchema(readRules(), systemNames(data)) : z.never()
}

/**
 * Reads the section `alerting` of a configuration file, or of a file that has only this section and `forecast`. Of the other
 * sections only `forecast` is checked, so that neither their secrets nor their variables are needed.
 * @throws {ConfigError} with every problem of the section at once
 */
export function loadAlerting(file: string, environment: Environment): AlertingConfig {
  const read = readTextFile(file, 'configuration')
  if ('problem' in read) throw new ConfigError(file, [{ path: '', message: read.problem }])
  const yaml = parseYaml(file, read.text)
  const names = systemNames(yaml.data)
  const data = names === undefined ? yaml.data : alertingParts(yaml.data as object)
  const schema = alertingFileSchema(alertingSchema(readRules(), names), names !== undefined)
  return resultOf(file, check(schema, { ...yaml, data }, environment)).alerting
}

function alertingParts(file: object): unknown {
  const own = Object.entries(file).filter(([key]) => !OTHER_KEYS.includes(key))
  const systems = systemsIn(file).map((system) =>
    isMapping(system) && 'forecast' in system ? { forecast: system['forecast'] } : {},
  )
  return { ...Object.fromEntries(own), systems }
}

function systemNames(data: unknown): string[] | undefined {
  if (!isMapping(data) || !('systems' in data)) return undefined
  return systemsIn(data)
    .flatMap((system) => nameOf(system) ?? [])
    .map(String)
}

interface Checked<Output> {
  readonly result: Output | undefined
  readonly problems: readonly ConfigProblem[]
}

function resultOf<Output>(file: string, { result, problems }: Checked<Output>): Output {
  if (result === undefined || problems.length > 0) throw new ConfigError(file, problems)
  return result
}

function check<Output>(schema: z.ZodType<Output>, yaml: YamlText, environment: Environment): Checked<Output> {
  const { positionOf } = yaml
  const problems: ConfigProblem[] = []
  const add = (path: readonly PropertyKey[], message: string) =>
    problems.push({ path: pathText(path), ...positionOf(path), message })
  const data = substituteVariables(yaml.data, environment, add)
  const parsed = schema.safeParse(withInherited(data), PARSE_OPTIONS)
  const issues = (parsed.error?.issues ?? []).flatMap((issue) => ownIssue(issue, data))
  const others = schemaProblems(schema, issues, positionOf).map(({ message, ...problem }) => ({
    ...problem,
    message: `${message}${variableNote(problem.path, data, environment)}`,
  }))
  // An unset variable may cause another problem at the same path; report it once.
  const reported = new Set(problems.map(({ path }) => path))
  const independent = others.filter(({ path }) => !reported.has(path))
  return { result: parsed.data, problems: [...problems, ...independent] }
}

/** An inherited value is reported once, at its source. What needs several keys is reported for each system. */
function ownIssue(issue: z.core.$ZodIssue, data: unknown): z.core.$ZodIssue[] {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.filter((key) => inheritedValue(data, [...issue.path, key]) === undefined)
    return keys.length === 0 ? [] : [{ ...issue, keys }]
  }
  const inherited = inheritedValue(data, issue.path)
  return inherited === undefined || isMapping(inherited) ? [issue] : []
}

/** The file with the systems of one name only; undefined if there are none. */
function onlySystem(data: unknown, name: string) {
  const systems = systemsIn(data)
  const indices = [...systems.keys()].filter((index) => nameOf(systems[index]) === name)
  if (indices.length === 0) return undefined
  return {
    data: { ...(data as object), systems: systems.filter((_, index) => indices.includes(index)) },
    isOfOthers(path: string): boolean {
      const index = /^systems\[(\d+)\]/.exec(path)?.[1]
      return index !== undefined && !indices.includes(Number(index))
    },
  }
}

function systemsIn(data: unknown): readonly unknown[] {
  return isMapping(data) && Array.isArray(data['systems']) ? data['systems'] : []
}

function nameOf(system: unknown): unknown {
  return isMapping(system) ? system['name'] : undefined
}
