import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { countTests } from '../../scripts/ci/test_counts.ts'
import { temporaryFolder } from '../support/folders.ts'

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((result) => ({ status: result })),
})

describe('countTests', () => {
  test('returns the counts of the report', () => {
    const testResults = [file('passed', 'passed', 'passed'), file('failed', 'passed', 'failed')]
    expect(countTests({ numPassedTests: 3, numFailedTests: 1, testResults })).toEqual({
      passed: 3,
      failed: 1,
    })
  })

  test('counts a file that cannot be loaded as a failure', () => {
    const testResults = [file('failed'), file('passed', 'passed')]
    expect(countTests({ numPassedTests: 1, numFailedTests: 0, testResults })).toEqual({
      passed: 1,
      failed: 1,
    })
  })
})

describe('print_counts', () => {
  const print = (report: string) => {
    const { stdout, status } = spawnSync(process.execPath, ['scripts/ci/print_counts.ts', report], {
      encoding: 'utf8',
    })
    return { stdout, status }
  }

  test.each([
    [2, 0, 0],
    [2, 1, 1],
    [0, 0, 1],
  ])('%i passed and %i failed: exit code %i', (passed, failed, status) => {
    using folder = temporaryFolder()
    const report = { numPassedTests: passed, numFailedTests: failed, testResults: [] }
    const path = folder.write('report.json', JSON.stringify(report))
    expect(print(path)).toEqual({ stdout: `${passed} passed, ${failed} failed\n`, status })
  })

  test('exits with 1 without a report', () => {
    expect(print('no/such/report.json')).toEqual({ stdout: '0 passed, 0 failed\n', status: 1 })
  })
})
