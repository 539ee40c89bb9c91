/**
 * Holds the lockfile against published advisories; every finding must be answered by an update or by a row in
 * scripts/supply_chain/judgements.ts. Exit code 1 on an open point, and when the registry does not answer
 * (a mirror often cannot); `--allow-no-answer` makes the latter a warning. `--omit=dev` looks at what is
 * shipped alone.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { openPoints, readAudit } from './supply_chain/audit_report.ts'
import { JUDGEMENTS } from './supply_chain/judgements.ts'

const { values } = parseArgs({
  options: { 'allow-no-answer': { type: 'boolean', default: false }, omit: { type: 'string' } },
})
const omit = values.omit === undefined ? [] : [`--omit=${values.omit}`]
const { stdout } = spawnSync('npm', ['audit', '--json', ...omit], { encoding: 'utf8' })

try {
  const findings = readAudit(stdout)
  const points = openPoints(findings, JUDGEMENTS, new Date().toISOString().slice(0, 10))
  for (const point of points) process.stderr.write(`${point}\n`)
  process.stdout.write(`${findings.length} advisories, ${points.length} open points\n`)
  if (points.length > 0) process.exitCode = 1
} catch (failure) {
  process.stderr.write(`npm audit: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = values['allow-no-answer'] ? 0 : 1
}
