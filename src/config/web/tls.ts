import { resolve } from 'node:path'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { ReadText } from '../../values/files.ts'
import { Secret } from '../../values/secret.ts'
import { certificateProblem, isPair, keyProblem, rootProblem } from '../values/pem.ts'
import type { Problem } from '../values/problems.ts'
import {
  CLIENT_AUTH,
  type ClientAuthName,
  CURVES,
  TLS_VERSION_NAMES,
  TLS_VERSIONS,
  TLS12_SUITES,
  TLS13_SUITES,
  type TlsSection,
  type TlsVersionName,
} from './sections.ts'

export type WebTls = Readonly<ReturnType<typeof settingsOf>>

const SECTION = 'tls_server_config'

const MATERIAL = {
  cert: { file: 'cert_file', check: certificateProblem },
  key: { file: 'key_file', check: keyProblem },
  client_ca: { file: 'client_ca_file', check: rootProblem },
} as const

type Material = keyof typeof MATERIAL
type Strings = Readonly<Record<string, unknown>>

interface From {
  /** Base of relative paths. */
  readonly folder: string
  readonly read: ReadText
}

/** Reads the certificates and the key and adds their problems. The section need not be valid. */
export function readMaterial(section: Strings, from: From, problems: Problem[]) {
  const one = (name: Material) => {
    const found = pickText(section, name, from)
    if (found === undefined) return undefined
    const problem = 'problem' in found ? found.problem : MATERIAL[name].check(found.text)
    if (problem === undefined && 'text' in found) return found.text
    problems.push({ path: `${SECTION}.${found.key}`, message: problem ?? 'is empty' })
    return undefined
  }
  return { cert: one('cert'), key: one('key'), clientCa: one('client_ca') }
}

export type TlsMaterial = ReturnType<typeof readMaterial>

function pickText(section: Strings, name: Material, { folder, read }: From) {
  const { file } = MATERIAL[name]
  const path = section[file]
  if (isText(path)) {
    const found = read(resolve(folder, path), 'pem')
    return { key: file, ...('problem' in found ? { problem: `${path} ${found.problem}` } : found) }
  }
  const text = section[name]
  return isText(text) ? { key: name, text } : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Problems of combinations of keys. The section need not be valid. */
export function tlsRuleProblems(section: Strings, material: TlsMaterial): Problem[] {
  const has = (key: string) => isText(section[key])
  const policy = has('client_auth_type') ? section['client_auth_type'] : 'NoClientCert'
  const ca = has('client_ca_file') || has('client_ca')
  const sans = section['client_allowed_sans']
  const rules: readonly (readonly [key: string, broken: boolean, message: string])[] = [
    ['cert_file', !has('cert_file') && !has('cert'), 'missing: cert_file or cert is needed for TLS'],
    ['key_file', !has('key_file') && !has('key'), 'missing: key_file or key is needed for TLS'],
    ...(['cert', 'key', 'client_ca'] as const).map(
      (name) => [name, has(name) && has(`${name}_file`), `give ${name} or ${name}_file, not both`] as const,
    ),
    [
      'client_auth_type',
      ca && policy === 'NoClientCert',
      'a client CA needs a client_auth_type that requests certificates',
    ],
    ['client_ca_file', !ca && isVerified(policy), `missing: ${policy} needs client_ca_file or client_ca`],
    [
      'client_allowed_sans',
      Array.isArray(sans) && !isRequired(policy),
      'needs client_auth_type RequireAndVerifyClientCert or RequireAnyClientCert',
    ],
    [
      'client_allowed_sans',
      Array.isArray(sans) && sans.length === 0,
      'an empty list would refuse every client',
    ],
    ['key_file', isMismatch(material), 'the key does not belong to the certificate'],
  ]
  return rules
    .filter(([, broken]) => broken)
    .map(([key, , message]) => ({ path: `${SECTION}.${key}`, message }))
}

function policyOf(name: unknown) {
  return typeof name === 'string' && Object.hasOwn(CLIENT_AUTH, name)
    ? CLIENT_AUTH[name as ClientAuthName]
    : undefined
}

function isVerified(policy: unknown): boolean {
  return policyOf(policy)?.verified ?? false
}

/** True for an unknown policy: it is reported by the schema and must not cause further problems. */
function isRequired(policy: unknown): boolean {
  return policyOf(policy)?.required ?? true
}

function isMismatch({ cert, key }: TlsMaterial): boolean {
  return cert !== undefined && key !== undefined && !isPair(cert, key)
}

/** Builds the settings from a valid section. Adds a problem if OpenSSL does not accept them. */
export function buildTls(
  section: TlsSection,
  material: TlsMaterial,
  problems: Problem[],
): WebTls | undefined {
  const { cert, key, clientCa } = material
  if (cert === undefined || key === undefined) return undefined
  const tls = settingsOf(section, { cert, key, clientCa })
  const problem = combinationProblem(tls)
  if (problem === undefined) return tls
  problems.push(problem)
  return undefined
}

function settingsOf(
  section: TlsSection,
  { cert, key, clientCa }: { cert: string; key: string; clientCa: string | undefined },
) {
  return {
    /** PEM, the server certificate first. */
    cert,
    key: new Secret(key),
    clientCa,
    clientAuth: section.client_auth_type,
    /** Subject alternative names of which a client certificate must have one; undefined: any. */
    allowedSans: section.client_allowed_sans as readonly string[] | undefined,
    minVersion: section.min_version,
    maxVersion: section.max_version,
    ciphers: cipherList(section),
    preferServerCiphers: section.prefer_server_cipher_suites,
    curves: section.curve_preferences?.map((name) => CURVES[name]).join(':'),
  }
}

function combinationProblem(tls: WebTls): Problem | undefined {
  const { minVersion, maxVersion, ciphers } = tls
  if (rank(minVersion) > rank(maxVersion)) {
    return { path: `${SECTION}.min_version`, message: `${minVersion} is above max_version ${maxVersion}` }
  }
  if (ciphers === '')
    return { path: `${SECTION}.cipher_suites`, message: `none of these is supported by ${maxVersion}` }
  try {
    createSecureContext(secureContextOptions(tls))
    return undefined
  } catch {
    return {
      path: SECTION,
      message: 'OpenSSL does not accept this combination of certificate, key, ciphers and curves',
    }
  }
}

function rank(version: TlsVersionName): number {
  return TLS_VERSION_NAMES.indexOf(version)
}

function cipherList({ cipher_suites: chosen, min_version, max_version }: TlsSection): string {
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
