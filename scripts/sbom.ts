/**
 * Prints the software bill of materials of the shipped packages as CycloneDX JSON, from the lockfile.
 *
 *   node scripts/sbom.ts > sds-exporter.cdx.json
 */
import { readFileSync } from 'node:fs'
import { readLockfile } from './generators/lockfile.ts'
import { billOfMaterials, type Product } from './supply_chain/sbom.ts'

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')
const product = JSON.parse(read('package.json')) as Product
process.stdout.write(billOfMaterials(product, readLockfile(read('package-lock.json'))))
