import { createHash } from 'node:crypto'
import type { LockedPackage } from '../generators/lockfile.ts'

/** The program itself, from package.json. */
export interface Product {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
}

/**
 * The software bill of materials as CycloneDX 1.5 JSON: all shipped packages with checksum, licence and dependencies.
 * Reproducible: it has no time, and the serial number is a digest. `npm sbom --omit=dev` is not used, because it omits
 * packages that are dependencies of both the program and its development.
 */
export function billOfMaterials(product: Product, packages: readonly LockedPackage[]): string {
  const shipped = packages.filter(({ isDevelopment }) => !isDevelopment)
  const root = `pkg:npm/${product.name}@${product.version}`
  const content = {
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: productComponent(product, root) },
    components: shipped.map(component),
    dependencies: [
      { ref: root, dependsOn: Object.keys(product.dependencies).map((name) => `node_modules/${name}`) },
      ...shipped.map(({ path, dependencies }) => ({ ref: path, dependsOn: dependencies })),
    ],
  }
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  const head = { bomFormat: 'CycloneDX', specVersion: '1.5', serialNumber: uuidOf(digest) }
  return `${JSON.stringify({ ...head, ...content }, null, 2)}\n`
}

function productComponent({ name, version, description, license }: Product, purl: string) {
  return {
    type: 'application',
    'bom-ref': purl,
    name,
    version,
    description,
    purl,
    licenses: [licence(license)],
  }
}

function component({ path, name, version, licence: expression, integrity }: LockedPackage) {
  const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
  return {
    type: 'library',
    'bom-ref': path,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [licence(expression)],
  }
}

function licence(expression: string) {
  return / (OR|AND) /.test(expression) ? { expression } : { license: { id: expression } }
}

/** A UUID of version 8, for custom digests. */
function uuidOf(digest: string): string {
  const part = (from: number, to: number) => digest.slice(from, to)
  return `urn:uuid:${part(0, 8)}-${part(8, 12)}-8${part(12, 15)}-8${part(15, 18)}-${part(18, 30)}`
}
