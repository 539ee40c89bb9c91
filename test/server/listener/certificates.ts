import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export type San = { readonly type: 'dns' | 'ip' | 'email' | 'url'; readonly value: string }

/** A certificate and its key in PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

export interface Authority extends Identity {
  /** A certificate for a server or a client, valid for an hour on each side of now. */
  issue(
    name: string,
    sans?: readonly San[],
    valid?: { from: Date; to: Date },
    /** Undefined: a key that is not weak. */
    rsaBits?: number,
  ): Promise<Identity>
}

/** Names of a server on this machine. */
export const LOCAL_SANS: readonly San[] = [
  { type: 'dns', value: 'localhost' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
]

/** Host names and addresses as names of a certificate. */
export const sansOf = (names: readonly string[]): San[] =>
  names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))

/** Validity of a certificate for a year, and of one that expired a day ago. */
export const YEAR = { from: new Date(Date.now() - HOUR_MS), to: new Date(Date.now() + 365 * DAY_MS) }
export const EXPIRED = { from: new Date(Date.now() - 2 * DAY_MS), to: new Date(Date.now() - DAY_MS) }

/** A root CA, or an intermediate CA below `issuer`. CAs with the same name have different keys. */
export async function makeAuthority(name: string, parent?: Identity): Promise<Authority> {
  const x509 = await loadX509()
  const keys = await makeKeys()
  const extensions = [new x509.BasicConstraintsExtension(true, undefined, true)]
  const ca = await x509.X509CertificateGenerator.create({
    ...dates(),
    serialNumber: serial(),
    subject: `CN=${name}`,
    issuer: parent === undefined ? `CN=${name}` : new x509.X509Certificate(parent.cert).subject,
    publicKey: keys.publicKey,
    signingKey: parent === undefined ? keys.privateKey : await readKey(parent.key),
    signingAlgorithm: ALGORITHM,
    extensions,
  })
  return {
    cert: ca.toString('pem'),
    key: pem(keys.privateKey),
    async issue(subject, sans = [], valid, rsaBits) {
      const own = await makeKeys(rsaBits)
      const cert = await x509.X509CertificateGenerator.create({
        ...dates(valid),
        serialNumber: serial(),
        subject: `CN=${subject}`,
        issuer: ca.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
        extensions: sans.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension([...sans])],
      })
      return { cert: cert.toString('pem'), key: pem(own.privateKey) }
    },
  }
}

/** A minimal polyfill of metadata reflection, which the library requires to load. */
async function loadX509() {
  const metadata = new WeakMap<object, Map<unknown, unknown>>()
  const read = (key: unknown, target: object) => metadata.get(target)?.get(key)
  const write = (key: unknown, value: unknown, target: object) => {
    metadata.set(target, (metadata.get(target) ?? new Map()).set(key, value))
  }
  if (!('getMetadata' in Reflect)) {
    Object.assign(Reflect, { getMetadata: read, getOwnMetadata: read, defineMetadata: write })
  }
  return import('@peculiar/x509')
}

function makeKeys(rsaBits?: number): Promise<webcrypto.CryptoKeyPair> {
  if (rsaBits === undefined) return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]) }
  return webcrypto.subtle.generateKey({ ...rsa, modulusLength: rsaBits }, true, ['sign', 'verify'])
}

function pem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()
}

function readKey(text: string): Promise<webcrypto.CryptoKey> {
  const bytes = createPrivateKey(text).export({ type: 'pkcs8', format: 'der' })
  return webcrypto.subtle.importKey('pkcs8', bytes, ALGORITHM, false, ['sign'])
}

function serial(): string {
  return `01${Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex')}`
}

function dates(valid?: { from: Date; to: Date }) {
  const now = Date.now()
  return { notBefore: valid?.from ?? new Date(now - HOUR_MS), notAfter: valid?.to ?? new Date(now + HOUR_MS) }
}
