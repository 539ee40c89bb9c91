import type { SecureVersion } from 'node:tls'

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
export const OLD_CLIENT_AUTH = { RequireClientCert: 'RequireAnyClientCert' } as const

export type ClientAuthName = keyof typeof CLIENT_AUTH

/** The keys of a table, typed. */
export function namesOf<T extends object>(table: T): [keyof T & string, ...(keyof T & string)[]] {
  return Object.keys(table) as [keyof T & string, ...(keyof T & string)[]]
}
