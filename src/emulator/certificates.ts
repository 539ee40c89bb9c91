import './reflect_metadata.ts'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

/** A certificate and its private key, both PEM. */
export interface CertifiedKey {
  readonly cert: string
  readonly key: string
}

export interface CertificateOptions {
  /** Host names and IP addresses that it is valid for; the first is also its common name. */
  readonly names: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
}

/** A certificate authority. Clients use its certificate as `ca_file`. */
export interface Authority extends CertifiedKey {
  /** Issues a certificate for servers and clients. */
  readonly issue: (options: CertificateOptions) => Promise<CertifiedKey>
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
/** Allowed difference between the clocks of client and server. */
const SKEW_MS = 3_600_000
const VALIDITY_MS = 365 * DAY_MS

/** Creates a self-signed certificate authority. */
export async function createAuthority(commonName: string): Promise<Authority> {
  const keys = await createKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity({}),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  })
  return {
    ...(await toPem(certificate, keys)),
    issue: (options) => issue(options, certificate.subject, keys.privateKey),
  }
}

/** A self-signed certificate, the default of storage systems on delivery. */
export async function selfSigned(options: CertificateOptions): Promise<CertifiedKey> {
  const keys = await createKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: subjectOf(options),
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity(options),
    extensions: [new x509.BasicConstraintsExtension(true), ...leafExtensions(options)],
  })
  return toPem(certificate, keys)
}

/** Validity dates of a certificate that expired a day before `now`, in milliseconds since the epoch. */
export function expiredDates(now: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - 2 * DAY_MS), notAfter: new Date(now - DAY_MS) }
}

async function issue(
  options: CertificateOptions,
  issuer: string,
  signingKey: webcrypto.CryptoKey,
): Promise<CertifiedKey> {
  const keys = await createKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    subject: subjectOf(options),
    issuer,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    ...validity(options),
    extensions: leafExtensions(options),
  })
  return toPem(certificate, keys)
}

function subjectOf({ names }: CertificateOptions) {
  return [{ CN: [names[0] ?? 'emulator'] }]
}

function leafExtensions({ names }: CertificateOptions): x509.Extension[] {
  return [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
    new x509.SubjectAlternativeNameExtension(
      names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
    ),
  ]
}

function validity({ notBefore, notAfter }: Partial<CertificateOptions>): { notBefore: Date; notAfter: Date } {
  const now = Date.now()
  return {
    notBefore: notBefore ?? new Date(now - SKEW_MS),
    notAfter: notAfter ?? new Date(now + VALIDITY_MS),
  }
}

function createKeys() {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
}

async function toPem(
  certificate: x509.X509Certificate,
  keys: { privateKey: webcrypto.CryptoKey },
): Promise<CertifiedKey> {
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') }
}
