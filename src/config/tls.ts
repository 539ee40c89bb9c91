import { createPrivateKey, X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { ReadText } from '../values/files.ts'
import { DESPITE_OTHERS } from './values/schema_problems.ts'
import { flag } from './values/units.ts'

export type TlsConfig = Readonly<z.output<ReturnType<typeof tlsSchema>>>

/** A path or name; an empty one means not set, so that example files can show every key. */
export const path = z
  .string('expected text')
  .transform((value) => (value === '' ? undefined : value))
  .optional()

/** Only the `ca_file` of a system is read as `ca`: the doctor may write it. */
type CaKind = 'ca' | 'pem'

/** The keys of `tls_config`, of which `defaults` may have some. */
export function tlsKeys(folder: string, read: ReadText, kind: CaKind = 'ca') {
  const pem = fileReader(folder, read)
  return z.strictObject({
    ca_file: path.transform(pem(certificateProblem, kind)),
    cert_file: path.transform(pem(certificateProblem)),
    key_file: path.transform(pem(keyProblem)),
    server_name: path,
    insecure_skip_verify: flag.prefault(false),
  })
}

/** A section `tls_config` with what it inherits. */
export function tlsSchema(folder: string, read: ReadText, kind?: CaKind) {
  return tlsKeys(folder, read, kind)
    .superRefine(({ cert_file: certificate, key_file: key }, context) => {
      const message = pairProblem(certificate, key)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    }, DESPITE_OTHERS)
    .transform((keys) => ({
      caFile: keys.ca_file?.file,
      certFile: keys.cert_file?.file,
      keyFile: keys.key_file?.file,
      serverName: keys.server_name,
      insecureSkipVerify: keys.insecure_skip_verify,
    }))
}

function pairProblem(certificate?: Partial<NamedFile>, key?: Partial<NamedFile>): string | undefined {
  if ((certificate === undefined) !== (key === undefined))
    return 'cert_file and key_file must be set together'
  if (!isMismatch(certificate, key)) return undefined
  return 'the key in key_file does not match the certificate in cert_file'
}

export interface NamedFile {
  /** Absolute. */
  readonly file: string
  readonly text: string
}

/**
 * Reads files by their names, so that a missing or unusable one is reported at the start. Relative paths resolve against
 * `folder`. A text that `check` returns is the problem of the file, as the end of a sentence.
 */
export function fileReader(folder: string, read: ReadText) {
  return (check: (text: string) => unknown, kind: Parameters<ReadText>[1] = 'pem') =>
    (name: string | undefined, context: z.RefinementCtx): NamedFile | undefined => {
      if (name === undefined) return undefined
      const file = resolve(folder, name)
      const found = read(file, kind)
      const problem = 'problem' in found ? found.problem : check(found.text)
      if ('text' in found && typeof problem !== 'string') return { file, text: found.text }
      context.addIssue({ code: 'custom', message: `${name} ${problem}` })
      return z.NEVER
    }
}

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

/** Whether the key does not belong to the first certificate. What cannot be used has no text here, and is no mismatch. */
export function isMismatch(certificate?: Partial<NamedFile>, key?: Partial<NamedFile>): boolean {
  if (certificate?.text === undefined || key?.text === undefined) return false
  return !new X509Certificate(certificate.text).checkPrivateKey(createPrivateKey(key.text))
}

const CERTIFICATE = /^-----BEGIN (?:TRUSTED )?CERTIFICATE-----/

/**
 * OpenSSL reads CERTIFICATE and its own TRUSTED CERTIFICATE. A block begins on a line of its own: files that were
 * concatenated without a newline between them are invalid.
 */
export function certificateBlocks(pem: string): readonly string[] {
  const blocks = pem.split(new RegExp(`(?=${CERTIFICATE.source})`, 'm'))
  return blocks.filter((block) => CERTIFICATE.test(block) && block.includes('-----END '))
}

function succeeds(act: () => unknown): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}
