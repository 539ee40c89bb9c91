import { createPrivateKey, X509Certificate } from 'node:crypto'

/** The problem of a text that should contain PEM certificates; undefined if it is valid. */
export function certificateProblem(pem: string): string | undefined {
  const blocks = certificateBlocks(pem)
  if (blocks.length === 0) return 'contains no certificate (PEM expected)'
  const bad = blocks.findIndex((block) => !succeeds(() => new X509Certificate(block)))
  return bad === -1
    ? undefined
    : `contains a certificate that cannot be read (number ${bad + 1} of ${blocks.length})`
}

/** Go accepts an intermediate certificate as trust anchor; OpenSSL as used by Node.js needs the root. */
export function rootProblem(pem: string): string | undefined {
  const problem = certificateProblem(pem)
  if (problem !== undefined) return problem
  const isRooted = certificateBlocks(pem)
    .map((block) => new X509Certificate(block))
    .some((certificate) => certificate.checkIssued(certificate))
  return isRooted ? undefined : 'contains no root certificate: add the one that signed the others'
}

/** The problem of a text that should contain a PEM private key; undefined if it is valid. */
export function keyProblem(pem: string): string | undefined {
  return succeeds(() => createPrivateKey(pem))
    ? undefined
    : 'contains no usable private key (PEM without a passphrase expected)'
}

/** Whether the key belongs to the first certificate. Both must be valid. */
export function isPair(certificate: string, key: string): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
}

/** As in OpenSSL, a block extends to the end of its last line: files joined without a newline are invalid. */
const BLOCK = /^-----BEGIN ((?:TRUSTED )?CERTIFICATE)-----[\s\S]*?-----END \1-----.*/gm

function certificateBlocks(pem: string): readonly string[] {
  return pem.match(BLOCK) ?? []
}

function succeeds(act: () => unknown): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}
