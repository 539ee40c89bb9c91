import type { SecureVersion } from 'node:tls'
import { z } from 'zod'
import { durationOf } from '../../time_units.ts'
import { oneOf } from '../values/units.ts'

/** Web configuration files use the names of Go. The values are the names of Node.js and OpenSSL. */
export const TLS_VERSIONS = {
  TLS10: 'TLSv1',
  TLS11: 'TLSv1.1',
  TLS12: 'TLSv1.2',
  TLS13: 'TLSv1.3',
} as const satisfies Record<string, SecureVersion>

/** Oldest first, so that versions can be compared by index. */
export const TLS_VERSION_NAMES = ['TLS10', 'TLS11', 'TLS12', 'TLS13'] as const
export type TlsVersionName = (typeof TLS_VERSION_NAMES)[number]

/** For TLS 1.2 and older. All have forward secrecy; those with authenticated encryption come first. */
export const TLS12_SUITES = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
} as const

/** Always enabled for TLS 1.3, as in Go. OpenSSL uses the same names. */
export const TLS13_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
] as const

export const CURVES = {
  CurveP256: 'P-256',
  CurveP384: 'P-384',
  CurveP521: 'P-521',
  X25519: 'X25519',
} as const

/** Whether a client certificate is requested, required, and verified against the client CA. */
export const CLIENT_AUTH = {
  NoClientCert: { requested: false, required: false, verified: false },
  RequestClientCert: { requested: true, required: false, verified: false },
  RequireAnyClientCert: { requested: true, required: true, verified: false },
  VerifyClientCertIfGiven: { requested: true, required: false, verified: true },
  RequireAndVerifyClientCert: { requested: true, required: true, verified: true },
} as const

/** Deprecated names that the exporter-toolkit still accepts. */
const OLD_CLIENT_AUTH = { RequireClientCert: 'RequireAnyClientCert' } as const

export type ClientAuthName = keyof typeof CLIENT_AUTH

export function namesOf<T extends object>(table: T): [keyof T & string, ...(keyof T & string)[]] {
  return Object.keys(table) as [keyof T & string, ...(keyof T & string)[]]
}

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
  .transform((value) => durationOf(value, MS_PER_UNIT))
  .refine((ms) => ms <= MAX_DURATION_MS, 'must be at most 2562047h, as in Go')

const rateLimitSection = z.strictObject({
  interval: optional(goDuration),
  burst: optional(z.int('expected a whole number')),
})

export const fileSchema = z.strictObject({
  tls_server_config: optional(tlsSection),
  http_server_config: optional(z.strictObject({ http2: optional(flag), headers: optional(headersSection) })),
  basic_auth_users: optional(z.looseObject({})),
  rate_limit: optional(rateLimitSection),
})
