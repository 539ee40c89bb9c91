/**
 * Checks the lockfile against published advisories. Every finding requires an update or a row in
 * scripts/supply_chain/judgements.ts. Exit code 1 on an open finding, and when the registry does not respond, as some
 * mirrors do; with `--allow-no-answer` the latter is only a warning. `--omit=dev` checks only shipped packages.
 *
 *   node scripts/supply_chain/audit.ts [--omit=dev] [--allow-no-answer]
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { openPoints, readAudit } from './audit_report.ts'
import { JUDGEMENTS } from './judgements.ts'

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
