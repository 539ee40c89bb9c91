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

const BEGIN = /^-----BEGIN ((?:TRUSTED )?CERTIFICATE)-----/gm

/**
 * OpenSSL reads CERTIFICATE and its own TRUSTED CERTIFICATE. A block extends to the end of its last line, as in OpenSSL:
 * files that were concatenated without a newline between them are invalid. One regular expression for a whole block
 * would take quadratic time for a file of BEGIN lines.
 */
function certificateBlocks(pem: string): readonly string[] {
  const blocks: string[] = []
  const withoutEnd = new Set<string>()
  let end = 0
  for (const { index, 1: label = '' } of pem.matchAll(BEGIN)) {
    if (index < end || withoutEnd.has(label)) continue
    const lastLine = pem.indexOf(`-----END ${label}-----`, index)
    if (lastLine === -1) withoutEnd.add(label)
    else {
      end = endOfLine(pem, lastLine)
      blocks.push(pem.slice(index, end))
    }
  }
  return blocks
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

function succeeds(act: () => unknown): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}
