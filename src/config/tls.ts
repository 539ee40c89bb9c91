import { z } from 'zod'
import type { ReadText } from '../values/files.ts'
import { certificateProblem, isMismatch, keyProblem, type PemFile, pemReader } from './values/pem.ts'
import { DESPITE_OTHERS } from './values/schema_problems.ts'
import { flag } from './values/units.ts'

export type TlsConfig = Readonly<z.output<ReturnType<typeof tlsSchema>>>

/** A path or name; an empty one means not set, so that example files can show every key. */
const path = z
  .string('expected text')
  .transform((value) => (value === '' ? undefined : value))
  .optional()

/** Only the `ca_file` of a system is read as `ca`: the doctor may write it. */
type CaKind = 'ca' | 'pem'

/** The keys of `tls_config`, of which `defaults` may have some. */
export function tlsKeys(folder: string, read: ReadText, kind: CaKind = 'ca') {
  const pem = pemReader(folder, read)
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

function pairProblem(certificate?: Partial<PemFile>, key?: Partial<PemFile>): string | undefined {
  if ((certificate === undefined) !== (key === undefined))
    return 'cert_file and key_file must be set together'
  if (!isMismatch(certificate, key)) return undefined
  return 'the key in key_file does not match the certificate in cert_file'
}
