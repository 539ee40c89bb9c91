import { join } from 'node:path'
import { billName, provenanceName, pushedPlatforms } from './bills.ts'
import { PROVENANCE, type Reference } from './index.ts'
import { cosignPath, output } from './programs.ts'

/** Who signs: the workflow, without a key; or for the dry run a key, without a transparency log. */
export interface Signer {
  readonly key?: { readonly file: string; readonly signingConfig: string }
}

const cosign = (...args: readonly string[]): string => output(cosignPath(), args)

/** Flags for a key; the password of the key is in COSIGN_PASSWORD. */
const flagsOf = ({ key }: Signer): string[] =>
  key === undefined ? [] : [`--key=${key.file}`, `--signing-config=${key.signingConfig}`]

/** Signs an artefact of a registry, and what an index lists. */
export function signArtefact(reference: Reference, signer: Signer): void {
  cosign('sign', '--yes', '--recursive', ...flagsOf(signer), textOf(reference))
}

/** Attaches bill of materials and provenance to each platform, signed. @param folder with both files */
export function attest({ name, digest }: Reference, folder: string, signer: Signer): void {
  for (const { architecture, digest: own } of pushedPlatforms({ name, digest })) {
    const predicates = [
      ['cyclonedx', billName(architecture)],
      [PROVENANCE, provenanceName(architecture)],
    ] as const
    for (const [type, file] of predicates) {
      const what = [`--type=${type}`, `--predicate=${join(folder, file)}`]
      cosign('attest', '--yes', ...what, ...flagsOf(signer), textOf({ name, digest: own }))
    }
  }
}

/** Signs a file; the signature is in the Sigstore bundle `FILE.sigstore.json`. */
export function signFile(file: string, signer: Signer): void {
  cosign('sign-blob', '--yes', `--bundle=${file}.sigstore.json`, ...flagsOf(signer), file)
}

/** By whom something must be signed. */
export type Identity =
  | { readonly publicKey: string }
  /** URL of the workflow with its tag. */
  | { readonly workflow: string }

const ISSUER = 'https://token.actions.githubusercontent.com'

function identityFlags(identity: Identity): string[] {
  if ('publicKey' in identity) return [`--key=${identity.publicKey}`, '--insecure-ignore-tlog=true']
  return [`--certificate-oidc-issuer=${ISSUER}`, `--certificate-identity=${identity.workflow}`]
}

/** @throws if the artefact is not signed */
export function verifyArtefact(reference: Reference, identity: Identity): void {
  cosign('verify', ...identityFlags(identity), textOf(reference))
}

/** The attested predicate of a type. @throws if none is attested */
export function attested(reference: Reference, type: string, identity: Identity): unknown {
  const printed = cosign(
    'verify-attestation',
    `--type=${type}`,
    ...identityFlags(identity),
    textOf(reference),
  )
  const { payload } = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as { payload: string }
  return (JSON.parse(Buffer.from(payload, 'base64').toString()) as { predicate: unknown }).predicate
}

/** @throws if the signature does not match the file */
export function verifyFile(file: string, identity: Identity): void {
  cosign('verify-blob', `--bundle=${file}.sigstore.json`, ...identityFlags(identity), file)
}

/** A key pair and the configuration for a signature without a transparency log, in a folder. */
export function makeKey(folder: string): { readonly signer: Signer; readonly identity: Identity } {
  const signingConfig = join(folder, 'signing-config.json')
  cosign('generate-key-pair', `--output-key-prefix=${join(folder, 'key')}`)
  cosign('signing-config', 'create', `--out=${signingConfig}`)
  return {
    signer: { key: { file: join(folder, 'key.key'), signingConfig } },
    identity: { publicKey: join(folder, 'key.pub') },
  }
}

const textOf = ({ name, digest }: Reference): string => `${name}@${digest}`
