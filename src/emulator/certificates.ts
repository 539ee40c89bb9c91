import { KeyObject, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
/** Allowed difference between the clocks of client and server. */
const SKEW_MS = 3_600_000
const VALIDITY_MS = 365 * 86_400_000

/**
 * A self-signed certificate, the default of storage systems on delivery, and its private key, both PEM.
 * @param options.names host names and IP addresses that it is valid for; the first is also its common name
 */
export async function selfSigned({ names, notAfter }: { names: readonly string[]; notAfter?: Date }) {
  const x509 = await loadLibrary()
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [names[0] ?? 'emulator'] }],
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Date.now() - SKEW_MS),
    notAfter: notAfter ?? new Date(Date.now() + VALIDITY_MS),
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.ExtendedKeyUsageExtension([
        x509.ExtendedKeyUsage.serverAuth,
        x509.ExtendedKeyUsage.clientAuth,
      ]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
      ),
    ],
  })
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })
  return { cert: certificate.toString('pem'), key: key.toString() }
}

async function loadLibrary() {
  // The functions of the "metadata reflection" proposal that it needs in order to be loaded.
  const metadata = new WeakMap<object, Map<unknown, unknown>>()
  const getMetadata = (key: unknown, target: object) => metadata.get(target)?.get(key)
  const defineMetadata = (key: unknown, value: unknown, target: object) => {
    metadata.set(target, (metadata.get(target) ?? new Map()).set(key, value))
  }
  if (!('getMetadata' in Reflect)) {
    Object.assign(Reflect, { getMetadata, getOwnMetadata: getMetadata, defineMetadata })
  }
  return import('@peculiar/x509').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'ERR_MODULE_NOT_FOUND') throw failure
    throw new Error('--tls needs the package @peculiar/x509, an optional dependency: install it')
  })
}
