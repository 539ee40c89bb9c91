import type { SecureVersion } from 'node:tls'
import { z } from 'zod'
import { Secret } from '../../values/secret.ts'
import { isMapping } from '../inheritance.ts'
import { oneOf } from '../values/units.ts'

/**
 * Web configuration files use the names of Go. The values are the names of Node.js and OpenSSL. Oldest first, so that
 * versions can be compared by index.
 */
export const TLS_VERSIONS = {
  TLS10: 'TLSv1',
  TLS11: 'TLSv1.1',
  TLS12: 'TLSv1.2',
  TLS13: 'TLSv1.3',
} as const satisfies Record<string, SecureVersion>

export type TlsVersionName = keyof typeof TLS_VERSIONS

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

export function namesOf<T extends object>(table: T): [keyof T & string, ...(keyof T & string)[]] {
  return Object.keys(table) as [keyof T & string, ...(keyof T & string)[]]
}

/** YAML null and empty text mean "not set", as in Go. */
export function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional())
}

export const text = z.string('expected a text')
export const flag = z.boolean('expected true or false')
/** Excludes line breaks, which would add headers. A number, such as `X-XSS-Protection: 1`, is a text as in the toolkit. */
const headerValue = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z
    .string('expected a text')
    .regex(/^[\t\x20-\x7e]*$/, 'contains characters that are not allowed in an HTTP header'),
)
/** Headers of every response. */
export const headersSection = z
  .strictObject({
    'Content-Security-Policy': optional(headerValue),
    'Strict-Transport-Security': optional(headerValue),
    'X-Content-Type-Options': optional(oneOf(['nosniff'])),
    'X-Frame-Options': optional(oneOf(['deny', 'sameorigin'])),
    'X-XSS-Protection': optional(headerValue),
  })
  .transform(
    (headers): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
  )

/** `$2a$`, `$2b$` and `$2y$`, with a cost from 4 to 31, as `htpasswd -B` writes them. */
const BCRYPT_HASH = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/

/** bcrypt hashes by user name. A record of the library would omit a user named `__proto__`. */
export const usersSection = z
  .custom<object>(isMapping, 'expected a mapping of user names to bcrypt hashes')
  .transform((section, context): ReadonlyMap<string, Secret> => {
    const users = Object.entries(section)
    for (const [user, hash] of users) {
      const problem = (message: string) => context.addIssue({ code: 'custom', message, path: [user] })
      if (user.includes(':')) problem('a user name must not contain a colon')
      if (typeof hash !== 'string' || !BCRYPT_HASH.test(hash))
        problem('expected a bcrypt hash, as htpasswd -nBC 10 "" prints it')
    }
    return new Map(users.map(([user, hash]) => [user, new Secret(hash)]))
  })
