import { createPrivateKey, X509Certificate } from 'node:crypto'

/**
 * OpenSSL reads both kinds; the second one is its own. A block takes its whole last line, since OpenSSL does: files
 * that were joined without a line end between them cannot be read.
 */
const CERTIFICATE = /^-----BEGIN (TRUSTED )?CERTIFICATE-----.*?-----END \1?CERTIFICATE-----[^\n]*/gms

/** What is wrong with a text that should hold certificates in PEM, to follow its name; undefined for one that does. */
export function certificateProblem(pem: string): string | undefined {
  const blocks = certificateBlocks(pem)
  if (blocks.length === 0) return 'contains no certificate (PEM expected)'
  const bad = blocks.findIndex((block) => !succeeds(() => new X509Certificate(block)))
  return bad === -1
    ? undefined
    : `contains a certificate that cannot be read (number ${bad + 1} of ${blocks.length})`
}

/**
 * The same for a text that should hold the certificates that others are checked against. Go takes any of them as an
 * anchor; OpenSSL, as Node's server uses it, follows the chain to a root.
 */
export function rootProblem(pem: string): string | undefined {
  const problem = certificateProblem(pem)
  if (problem !== undefined) return problem
  const isRooted = certificateBlocks(pem)
    .map((block) => new X509Certificate(block))
    .some((certificate) => certificate.checkIssued(certificate))
  return isRooted ? undefined : 'contains no root certificate: add the one that signed the others'
}

/** The same for a text that should hold a private key. */
export function keyProblem(pem: string): string | undefined {
  return succeeds(() => createPrivateKey(pem))
    ? undefined
    : 'contains no private key that can be used (PEM without a passphrase expected)'
}

/** Whether the key belongs to the first certificate; both must have been found readable. */
export function isPair(certificate: string, key: string): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
}

function certificateBlocks(pem: string): readonly string[] {
  return pem.match(CERTIFICATE) ?? []
}

function succeeds(act: () => unknown): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}
