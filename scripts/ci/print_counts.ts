/**
 * Prints `N passed, N failed` of a report of vitest's JSON reporter. Exit code 1 if a test failed or none passed.
 *
 *   node scripts/ci/print_counts.ts REPORT
 */
import { existsSync, readFileSync } from 'node:fs'

interface FileResult {
  readonly status: string
  readonly assertionResults: readonly { readonly status: string }[]
}

const [file = ''] = process.argv.slice(2)
const empty = { numPassedTests: 0, numFailedTests: 0, testResults: [] as FileResult[] }
const report: typeof empty = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : empty
/** A file that cannot be loaded has no failed test; it counts as one failure. */
const broken = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
)
const failed = report.numFailedTests + broken.length
process.stdout.write(`${report.numPassedTests} passed, ${failed} failed\n`)
process.exitCode = report.numPassedTests > 0 && failed === 0 ? 0 : 1
