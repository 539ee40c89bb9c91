import { z } from 'zod'
import { oneOf } from '../values/units.ts'
import {
  CLIENT_AUTH,
  CURVES,
  namesOf,
  OLD_CLIENT_AUTH,
  TLS_VERSION_NAMES,
  TLS12_SUITES,
  TLS13_SUITES,
} from './tls_names.ts'

/** YAML null and empty text mean "not set", as in Go. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional())
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

/** `tls_server_config`; the files are not read yet. */
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

export type TlsSection = z.output<typeof tlsSection>

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

/** The web configuration file. */
export const fileSchema = z.strictObject({
  tls_server_config: optional(tlsSection),
  http_server_config: optional(z.strictObject({ http2: optional(flag), headers: optional(headersSection) })),
  basic_auth_users: optional(z.looseObject({})),
  rate_limit: optional(rateLimitSection),
})
