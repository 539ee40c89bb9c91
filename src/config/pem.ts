import { createPrivateKey, X509Certificate } from 'node:crypto'

const CERTIFICATE = /-----BEGIN (TRUSTED )?CERTIFICATE-----[^-]+-----END \1?CERTIFICATE-----/g

/** What is wrong with a text that should hold certificates in PEM; undefined for one that does. */
export function certificateProblem(text: string): string | undefined {
  const blocks = text.match(CERTIFICATE) ?? []
  if (blocks.length === 0) return 'has no certificate in PEM (-----BEGIN CERTIFICATE-----)'
  return blocks.every(isReadable((block) => new X509Certificate(block)))
    ? undefined
    : 'has a broken certificate'
}

/** What is wrong with a text that should hold a private key in PEM; undefined for one that does. */
export function keyProblem(text: string): string | undefined {
  return isReadable(createPrivateKey)(text)
    ? undefined
    : 'has no private key in PEM, or one with a passphrase'
}

/** Whether the key belongs to the first certificate; both must have been found readable. */
export function isPair(certificate: string, key: string): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
}

function isReadable(read: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      read(text)
      return true
    } catch {
      return false
    }
  }
}
