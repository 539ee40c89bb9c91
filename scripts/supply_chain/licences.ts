/**
 * Checks the licences of the shipped packages. Exit code 1 if one is not allowed.
 *
 *   node scripts/supply_chain/licences.ts
 */
import { readFileSync } from 'node:fs'
import { ALLOWED, licenceFindings, readLockfile } from '../generators/licences.ts'

const findings = licenceFindings(
  readLockfile(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')),
)
for (const finding of findings) process.stderr.write(`${finding}\n`)
if (findings.length === 0)
  process.stdout.write(`all packages are under one of ${ALLOWED.join(', ')}; see docs/licences.md\n`)
process.exitCode = findings.length === 0 ? 0 : 1
