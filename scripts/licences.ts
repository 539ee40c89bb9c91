/** Says under which licences the program ships its packages; exit code 1 when one of them is not allowed. */
import { readFileSync } from 'node:fs'
import { ALLOWED, licenceFindings } from './generators/licences.ts'
import { readLockfile } from './generators/lockfile.ts'

const findings = licenceFindings(
  readLockfile(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')),
)
for (const finding of findings) process.stderr.write(`${finding}\n`)
if (findings.length === 0)
  process.stdout.write(`every package is under one of ${ALLOWED.join(', ')}; see docs/licences.md\n`)
process.exitCode = findings.length === 0 ? 0 : 1
