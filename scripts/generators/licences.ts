import type { LockedPackage } from './lockfile.ts'

/** Permissive licences. Read a licence before adding it here. */
export const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'] as const

/** Packages that are shipped under a licence that is not allowed, one sentence each. */
export function licenceFindings(packages: readonly LockedPackage[]): string[] {
  return shipped(packages)
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, version, licence }) => `${name} ${version}: ${licence || 'no licence'} is not allowed`)
}

/** `A OR B` requires one allowed licence, `A AND B` both. Other expressions are not allowed. */
function isAllowed(expression: string): boolean {
  const bare = expression.replaceAll(/[()]/g, '')
  return bare
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => ALLOWED.some((known) => known === name)))
}

/** The text of docs/licences.md. */
export function licencesDocument(packages: readonly LockedPackage[]): string {
  const rows = shipped(packages).map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  return `<!-- Generated from package-lock.json by \`npm run generate\`: do not edit. -->

# Licences

sds-exporter itself is under [Apache-2.0](../LICENSE). It runs with these packages, under the licences
that they name:

| Package | Version | Licence |
| --- | --- | --- |
${rows.join('\n')}
`
}

/** The packages installed with the program, sorted by name, without duplicates. */
function shipped(packages: readonly LockedPackage[]): readonly LockedPackage[] {
  const key = ({ name, version }: LockedPackage) => `${name} ${version}`
  const unique = new Map(
    packages.filter(({ isDevelopment }) => !isDevelopment).map((one) => [key(one), one] as const),
  )
  return [...unique.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}
