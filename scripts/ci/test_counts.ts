/** Test counts, from a report of vitest's JSON reporter. `.ci/run` prints them. */
export interface TestCounts {
  readonly passed: number
  readonly failed: number
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly FileResult[]
}

interface FileResult {
  readonly status: string
  readonly assertionResults: readonly { readonly status: string }[]
}

/** A file that cannot be loaded has no failed test; it counts as one failure. */
export function countTests(report: Report): TestCounts {
  const isBroken = ({ status, assertionResults }: FileResult) =>
    status === 'failed' && assertionResults.every((test) => test.status !== 'failed')
  const broken = report.testResults.filter(isBroken).length
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken }
}
