import type { z } from 'zod'
import { Secret } from '../values/secret.ts'
import type { fileSchema } from './schema.ts'

export type { OtlpConfig } from './otlp.ts'
export type { TlsConfig } from './tls.ts'

/** The configuration file, validated. */
export type Config = Readonly<z.output<ReturnType<typeof fileSchema>>>

/** A system, with what it inherits from `defaults` and from the sections of the file. */
export type SystemConfig = Readonly<Config['systems'][number]>
export type AuthConfig = SystemConfig['auth']
export type ForecastConfig = SystemConfig['forecast']
export type LimitsConfig = SystemConfig['limits']
export type ResourcesConfig = SystemConfig['resources']
export type HistoryConfig = Config['history']

/** Deep equality of two parts of a configuration; secrets are compared by value. */
export function sameConfig(a: unknown, b: unknown): boolean {
  if (a instanceof Secret || b instanceof Secret)
    return a instanceof Secret && b instanceof Secret && a.equals(b)
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))]
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && sameConfig(value, right.get(key)))
  )
}
