/**
 * Prints `N passed, N failed` of a report of vitest's JSON reporter. Exit code 1 if a test failed or none passed.
 *
 *   node scripts/ci/print_counts.ts REPORT
 */
import { existsSync, readFileSync } from 'node:fs'
import { countTests } from './test_counts.ts'

const [file = ''] = process.argv.slice(2)
const { passed, failed } = existsSync(file)
  ? countTests(JSON.parse(readFileSync(file, 'utf8')))
  : { passed: 0, failed: 0 }
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = passed > 0 && failed === 0 ? 0 : 1
