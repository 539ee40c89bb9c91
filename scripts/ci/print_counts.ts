/** Prints `N passed, N failed` of the report named on the command line; exit code 1 unless all of some passed. */
import { existsSync, readFileSync } from 'node:fs'
import { countTests } from './test_counts.ts'

const [file = ''] = process.argv.slice(2)
const { passed, failed } = existsSync(file)
  ? countTests(JSON.parse(readFileSync(file, 'utf8')))
  : { passed: 0, failed: 0 }
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = passed > 0 && failed === 0 ? 0 : 1
