import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { readTextFile } from '../../values/files.ts'
import { Secret } from '../../values/secret.ts'
import { ConfigError, type Problem, pathText } from '../values/problems.ts'
import type { ReadText } from '../values/readings.ts'
import { PARSE_OPTIONS, schemaProblems } from '../values/schema_problems.ts'
import { parseYaml } from '../values/yaml_text.ts'
import { buildTls, readMaterial, type TlsSection, tlsRuleProblems, type WebTls } from './tls.ts'
import {
  CLIENT_AUTH,
  CURVES,
  namesOf,
  OLD_CLIENT_AUTH,
  TLS_VERSION_NAMES,
  TLS12_SUITES,
  TLS13_SUITES,
} from './tls_names.ts'

/** `burst` requests at once, then one per `intervalMs`. */
export interface RateLimit {
  readonly intervalMs: number
  readonly burst: number
}

/** The web configuration file of the Prometheus exporter-toolkit, validated. */
export interface WebFile {
  /** Undefined: plain HTTP. */
  readonly tls: WebTls | undefined
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>
  /** bcrypt hashes by user name; empty: no authentication. */
  readonly users: ReadonlyMap<string, Secret>
  readonly rateLimit: RateLimit | undefined
}

/** The result without a file or with an empty file. */
export const PLAIN_WEB_FILE: WebFile = { tls: undefined, headers: {}, users: new Map(), rateLimit: undefined }

/** YAML null and empty text mean "not set", as in Go. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional())
}

function oneOf<T extends readonly [string, ...string[]]>(names: T) {
  return z.enum(names, `expected one of ${names.join(', ')}`)
}

const text = z.string('expected a text')
const flag = z.boolean('expected true or false')
/** Excludes line breaks, which would add headers. */
const headerValue = z
  .string('expected a text')
  .regex(/^[\t\x20-\x7e]*$/, 'contains characters that are not allowed in an HTTP header')
const clientAuth = z.preprocess(
  (name) =>
    typeof name === 'string' && Object.hasOwn(OLD_CLIENT_AUTH, name)
      ? OLD_CLIENT_AUTH.RequireClientCert
      : name,
  oneOf(namesOf(CLIENT_AUTH)),
)

const tlsSection = z.strictObject({
  cert: optional(text),
  key: optional(text),
  client_ca: optional(text),
  cert_file: optional(text),
  key_file: optional(text),
  client_ca_file: optional(text),
  client_auth_type: optional(clientAuth).transform((name) => name ?? ('NoClientCert' as const)),
  client_allowed_sans: optional(z.array(text, 'expected a list')),
  min_version: optional(oneOf(TLS_VERSION_NAMES)).transform((name) => name ?? ('TLS12' as const)),
  max_version: optional(oneOf(TLS_VERSION_NAMES)).transform((name) => name ?? ('TLS13' as const)),
  cipher_suites: optional(z.array(oneOf([...namesOf(TLS12_SUITES), ...TLS13_SUITES]), 'expected a list')),
  prefer_server_cipher_suites: optional(flag).transform((value) => value ?? true),
  curve_preferences: optional(z.array(oneOf(namesOf(CURVES)), 'expected a list')),
})

const headersSection = z.strictObject({
  'Content-Security-Policy': optional(headerValue),
  'Strict-Transport-Security': optional(headerValue),
  'X-Content-Type-Options': optional(oneOf(['nosniff'])),
  'X-Frame-Options': optional(oneOf(['deny', 'sameorigin'])),
  'X-XSS-Protection': optional(headerValue),
})

const MS_PER_UNIT: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
/** The longest duration of Go, 2^63 − 1 nanoseconds, in whole hours. */
const MAX_DURATION_MS = 2_562_047 * 3_600_000
const GO_DURATION = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/

const DURATION = 'expected a duration like 1s, 500ms or 0'

/** Durations of Go, `1s`, `1m30s`, `0.5s`, and 0, converted to milliseconds. */
const goDuration = z
  .preprocess(
    (value) => (value === 0 || value === '0' ? '0s' : value),
    z.string(DURATION).regex(GO_DURATION, DURATION),
  )
  .transform((value) => [...value.matchAll(/([\d.]+)(\D+)/g)].reduce((sum, part) => sum + partMs(part), 0))
  .refine((ms) => ms <= MAX_DURATION_MS, 'must be at most 2562047h, as in Go')

function partMs([, number = '0', unit = '']: readonly string[]): number {
  return Number(number) * (MS_PER_UNIT[unit] ?? 0)
}

const rateLimitSection = z.strictObject({
  interval: optional(goDuration),
  burst: optional(z.int('expected a whole number')),
})

const fileSchema = z.strictObject({
  tls_server_config: optional(tlsSection),
  http_server_config: optional(z.strictObject({ http2: optional(flag), headers: optional(headersSection) })),
  basic_auth_users: optional(z.looseObject({})),
  rate_limit: optional(rateLimitSection),
})

type Mapping = Readonly<Record<string, unknown>>

/**
 * Reads the web configuration file (`--web.config.file`) and the certificates and keys that it names.
 * `http_server_config.http2` is accepted without effect: clients use HTTP/1.1.
 * Stricter than the exporter-toolkit where that would start with less protection than configured.
 * @throws {ConfigError} with every problem at once, each with its key
 */
export function loadWebFile(file: string, read: ReadText = readTextFile): WebFile {
  const content = read(file, 'configuration')
  if ('problem' in content) throw new ConfigError(file, [{ path: '', message: content.problem }])
  const { data, placeOf } = parseYaml(file, content.text)
  const parsed = fileSchema.safeParse(data, PARSE_OPTIONS)
  const problems: Problem[] = parsed.error?.issues.flatMap((issue) => schemaProblems(issue, placeOf)) ?? []
  const sections = mapping(data)
  const users = readUsers(mapping(sections['basic_auth_users']), problems)
  problems.push(...rateLimitProblems(mapping(sections['rate_limit'])))
  const tls = readTls(mapping(sections['tls_server_config']), parsed.data?.tls_server_config, problems, {
    folder: dirname(resolve(file)),
    read,
  })
  if (!parsed.success || problems.length > 0)
    throw new ConfigError(
      file,
      problems.map((problem) => ({ ...placeOf(problem.path.split('.')), ...problem })),
    )
  return {
    tls,
    headers: setHeaders(parsed.data.http_server_config?.headers ?? {}),
    users,
    rateLimit: rateLimit(parsed.data.rate_limit),
  }
}

function readTls(
  raw: Mapping,
  section: TlsSection | undefined,
  problems: Problem[],
  from: { readonly folder: string; readonly read: ReadText },
): WebTls | undefined {
  if (Object.keys(raw).length === 0) return undefined
  const material = readMaterial(raw, from, problems)
  problems.push(...tlsRuleProblems(raw, material))
  return section === undefined || problems.length > 0 ? undefined : buildTls(section, material, problems)
}

function mapping(value: unknown): Mapping {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Mapping) : {}
}

/** `$2a$`, `$2b$` and `$2y$`, with a cost from 4 to 31, as `htpasswd -B` writes them. */
const BCRYPT_HASH = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/

function readUsers(section: Mapping, problems: Problem[]): Map<string, Secret> {
  const users = new Map<string, Secret>()
  for (const [user, hash] of Object.entries(section)) {
    const path = pathText(['basic_auth_users', user])
    if (user.includes(':')) problems.push({ path, message: 'a user name must not contain a colon' })
    if (typeof hash === 'string' && BCRYPT_HASH.test(hash)) users.set(user, new Secret(hash))
    else problems.push({ path, message: 'expected a bcrypt hash, as htpasswd -nBC 10 "" prints it' })
  }
  return users
}

function rateLimitProblems(section: Mapping): Problem[] {
  const { interval, burst } = section
  if (typeof interval !== 'string' || interval === '' || interval === '0') return []
  if (typeof burst === 'number' && burst >= 1) return []
  return [{ path: 'rate_limit.burst', message: 'must be 1 or more, otherwise every request is refused' }]
}

function rateLimit(section: z.infer<typeof rateLimitSection> | undefined): RateLimit | undefined {
  const intervalMs = section?.interval ?? 0
  return intervalMs > 0 ? { intervalMs, burst: section?.burst ?? 1 } : undefined
}

function setHeaders(section: z.infer<typeof headersSection> | Record<string, never>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(section).filter((header): header is [string, string] => header[1] !== undefined),
  )
}
