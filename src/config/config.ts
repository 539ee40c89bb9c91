import type { z } from 'zod'
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
