import { dirname, resolve } from 'node:path'
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls'
import { z } from 'zod'
import { type ReadText, readTextFile } from '../values/files.ts'
import { Secret } from '../values/secret.ts'
import { isMapping } from './inheritance.ts'
import { certificateProblem, fileReader, isMismatch, keyProblem, type NamedFile, rootProblem } from './tls.ts'
import { ConfigError } from './values/problems.ts'
import { DESPITE_OTHERS, PARSE_OPTIONS, schemaProblems } from './values/schema_problems.ts'
import { oneOf } from './values/units.ts'
import { parseYaml } from './values/yaml_text.ts'

/**
 * Web configuration files use the names of Go. The values are the names of Node.js and OpenSSL. Oldest first, so that
 * versions can be compared by index.
 */
const TLS_VERSIONS = {
  TLS10: 'TLSv1',
  TLS11: 'TLSv1.1',
  TLS12: 'TLSv1.2',
  TLS13: 'TLSv1.3',
} as const satisfies Record<string, SecureVersion>

type TlsVersionName = keyof typeof TLS_VERSIONS

/** For TLS 1.2 and older. All have forward secrecy; those with authenticated encryption come first. */
const TLS12_SUITES = {
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
const TLS13_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
] as const

const CURVES = {
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

function namesOf<T extends object>(table: T): [keyof T & string, ...(keyof T & string)[]] {
  return Object.keys(table) as [keyof T & string, ...(keyof T & string)[]]
}

/** YAML null and empty text mean "not set", as in Go. */
function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional())
}

const text = z.string('expected a text')
const flag = z.boolean('expected true or false')

const VERSION_NAMES = namesOf(TLS_VERSIONS)

/** The keys of `tls_server_config`. Certificates and keys are read and checked. */
function tlsKeys(folder: string, read: ReadText) {
  const fromFile = fileReader(folder, read)
  return z.strictObject({
    cert: optional(text.transform(inline(certificateProblem))),
    key: optional(text.transform(inline(keyProblem))),
    client_ca: optional(text.transform(inline(rootProblem))),
    cert_file: optional(text).transform(fromFile(certificateProblem)),
    key_file: optional(text).transform(fromFile(keyProblem)),
    client_ca_file: optional(text).transform(fromFile(rootProblem)),
    client_auth_type: optional(oneOf(namesOf(CLIENT_AUTH))).transform(
      (name) => name ?? ('NoClientCert' as const),
    ),
    client_allowed_sans: optional(z.array(text, 'expected a list')),
    min_version: optional(oneOf(VERSION_NAMES)).transform((name) => name ?? ('TLS12' as const)),
    max_version: optional(oneOf(VERSION_NAMES)).transform((name) => name ?? ('TLS13' as const)),
    cipher_suites: optional(z.array(oneOf([...namesOf(TLS12_SUITES), ...TLS13_SUITES]), 'expected a list')),
    prefer_server_cipher_suites: optional(flag).transform((value) => value ?? true),
    curve_preferences: optional(z.array(oneOf(namesOf(CURVES)), 'expected a list')),
  })
}

function inline(problemOf: (pem: string) => string | undefined) {
  return (pem: string, context: z.RefinementCtx): Pick<NamedFile, 'text'> => {
    const message = problemOf(pem)
    if (message === undefined) return { text: pem }
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
}

type TlsKeys = z.output<ReturnType<typeof tlsKeys>>

/** `tls_server_config`; undefined if it is empty. */
function tlsSection(folder: string, read: ReadText) {
  const section = tlsKeys(folder, read)
    .superRefine((keys, context) => {
      for (const [key, message] of rulesOf(keys)) context.addIssue({ code: 'custom', message, path: [key] })
    }, DESPITE_OTHERS)
    .transform((keys, context) => {
      const tls = settingsOf(keys)
      const found = combinationProblem(tls)
      if (found !== undefined) context.addIssue({ code: 'custom', ...found })
      return tls
    })
  const isEmpty = (value: unknown) =>
    typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length === 0
  return z.preprocess((value) => (isEmpty(value) ? undefined : value), section.optional())
}

export type WebTls = Readonly<ReturnType<typeof settingsOf>>

/** The broken rules about combinations of keys. A key that is not valid by itself has its value from the file. */
function rulesOf(keys: TlsKeys): (readonly [key: string, message: string])[] {
  const { certificate, key, clientCa } = materialOf(keys)
  const { client_auth_type: policy, client_allowed_sans: sans } = keys
  const { verified, required } = { ...UNKNOWN_POLICY, ...CLIENT_AUTH[policy] }
  const rules: readonly (readonly [key: string, isBroken: boolean, message: string])[] = [
    ['cert_file', certificate === undefined, 'missing: cert_file or cert is needed for TLS'],
    ['key_file', key === undefined, 'missing: key_file or key is needed for TLS'],
    ...(['cert', 'key', 'client_ca'] as const).map((name) => {
      const isTwice = keys[name] !== undefined && keys[`${name}_file`] !== undefined
      return [name, isTwice, `give ${name} or ${name}_file, not both`] as const
    }),
    [
      'client_auth_type',
      clientCa !== undefined && policy === 'NoClientCert',
      'a client CA needs a client_auth_type that requests certificates',
    ],
    [
      'client_ca_file',
      clientCa === undefined && verified,
      `missing: ${policy} needs client_ca_file or client_ca`,
    ],
    [
      'client_allowed_sans',
      sans !== undefined && !required,
      'needs client_auth_type RequireAndVerifyClientCert or RequireAnyClientCert',
    ],
    ['client_allowed_sans', sans?.length === 0, 'an empty list would refuse every client'],
    ['key_file', isMismatch(certificate, key), 'the key does not belong to the certificate'],
  ]
  return rules.flatMap(([key, isBroken, message]) => (isBroken ? [[key, message] as const] : []))
}

/** It is reported by the schema and must not cause further problems. */
const UNKNOWN_POLICY = { verified: false, required: true }

function materialOf(keys: TlsKeys) {
  const { cert_file: certificate = keys.cert, key_file: key = keys.key } = keys
  return { certificate, key, clientCa: keys.client_ca_file ?? keys.client_ca }
}

function settingsOf(keys: TlsKeys) {
  const { certificate, key, clientCa } = materialOf(keys)
  return {
    /** PEM, the server certificate first. */
    cert: certificate?.text ?? '',
    key: new Secret(key?.text ?? ''),
    clientCa: clientCa?.text,
    clientAuth: keys.client_auth_type,
    /** Subject alternative names of which a client certificate must have one; undefined: any. */
    allowedSans: keys.client_allowed_sans as readonly string[] | undefined,
    minVersion: keys.min_version,
    maxVersion: keys.max_version,
    ciphers: cipherList(keys),
    preferServerCiphers: keys.prefer_server_cipher_suites,
    curves: keys.curve_preferences?.map((name) => CURVES[name]).join(':'),
  }
}

function combinationProblem(tls: WebTls): { readonly path: string[]; readonly message: string } | undefined {
  const { minVersion, maxVersion, ciphers } = tls
  if (rank(minVersion) > rank(maxVersion))
    return { path: ['min_version'], message: `${minVersion} is above max_version ${maxVersion}` }
  if (ciphers === '')
    return { path: ['cipher_suites'], message: `none of these is supported by ${maxVersion}` }
  try {
    createSecureContext(secureContextOptions(tls))
    return undefined
  } catch {
    const message = 'OpenSSL does not accept this combination of certificate, key, ciphers and curves'
    return { path: [], message }
  }
}

function rank(version: TlsVersionName): number {
  return VERSION_NAMES.indexOf(version)
}

function cipherList({ cipher_suites: chosen, min_version, max_version }: TlsKeys): string {
  const tls12 = Object.entries(TLS12_SUITES)
    .filter(([name]) => chosen === undefined || chosen.length === 0 || chosen.some((suite) => suite === name))
    .map(([, openssl]) => openssl)
  const tls13 = max_version === 'TLS13' ? TLS13_SUITES : []
  // OpenSSL 3 supports TLS 1.0 and 1.1 only at security level 0.
  const level = rank(min_version) < rank('TLS12') ? ['@SECLEVEL=0'] : []
  return [...tls13, ...tls12, ...level].join(':')
}

export function secureContextOptions(tls: WebTls): SecureContextOptions {
  return {
    cert: tls.cert,
    key: tls.key.reveal(),
    ca: tls.clientCa,
    minVersion: TLS_VERSIONS[tls.minVersion],
    maxVersion: TLS_VERSIONS[tls.maxVersion],
    ciphers: tls.ciphers,
    honorCipherOrder: tls.preferServerCiphers,
    ecdhCurve: tls.curves ?? 'auto',
  }
}

/** Excludes line breaks, which would add headers. A number, such as `X-XSS-Protection: 1`, is a text as in the toolkit. */
const headerValue = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z
    .string('expected a text')
    .regex(/^[\t\x20-\x7e]*$/, 'contains characters that are not allowed in an HTTP header'),
)

const headersSection = z
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
const usersSection = z
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

/** `http_server_config.http2` is accepted without effect: clients use HTTP/1.1. */
function fileSchema(folder: string, read: ReadText) {
  return z
    .strictObject({
      tls_server_config: tlsSection(folder, read),
      http_server_config: optional(
        z.strictObject({ http2: optional(flag), headers: optional(headersSection) }),
      ),
      basic_auth_users: optional(usersSection),
    })
    .transform(({ tls_server_config, http_server_config, basic_auth_users }) => ({
      /** Undefined: plain HTTP. */
      tls: tls_server_config,
      headers: http_server_config?.headers ?? {},
      /** Empty: no authentication. */
      users: basic_auth_users ?? (new Map() as ReadonlyMap<string, Secret>),
    }))
}

/** The web configuration file of the Prometheus exporter-toolkit, validated. */
export type WebFile = Readonly<z.output<ReturnType<typeof fileSchema>>>

/** The result without a file or with an empty file. */
export const PLAIN_WEB_FILE: WebFile = { tls: undefined, headers: {}, users: new Map() }

/**
 * Reads the web configuration file (`--web.config.file`) and the certificates and keys that it names.
 * Stricter than the exporter-toolkit where that would start with less protection than configured.
 * @throws {ConfigError} with every problem at once, each with its key
 */
export function loadWebFile(file: string, read: ReadText = readTextFile): WebFile {
  const content = read(file, 'configuration')
  if ('problem' in content) throw new ConfigError(file, [{ path: '', message: content.problem }])
  const { data, positionOf } = parseYaml(file, content.text)
  const schema = fileSchema(dirname(resolve(file)), read)
  const parsed = schema.safeParse(data, PARSE_OPTIONS)
  if (parsed.success) return parsed.data
  throw new ConfigError(file, schemaProblems(schema, parsed.error.issues, positionOf))
}
