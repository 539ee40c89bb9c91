/**
 * Runs the tests, or those at the paths given, with the clock at moments at which hours, weekdays and dates differ.
 * Needs Debian's `faketime`, which moves the clock of programs that ask the C library. Programs written in Go ask the
 * kernel, so the tests that start Prometheus or Alertmanager are left out: their clocks would disagree. Chromium does
 * not start with a moved clock, so its tests are left out, too.
 */
import { spawnSync } from 'node:child_process'
import { closureOf, readIfThere, testFiles } from '../../test/support/test_files.ts'

const MOMENTS = {
  'a Sunday, 03:00 UTC': '2027-01-10T03:00:00Z',
  'a Wednesday, 14:00 UTC': '2027-01-13T14:00:00Z',
  'the end of a weekend, when the load changes at once': '2027-01-11T00:00:00Z',
  '29 February': '2028-02-29T12:00:00Z',
  'the last half minute of a year': '2027-12-31T23:59:30Z',
} as const
const OTHER_CLOCKS = [
  'test/support/programs/prometheus.ts',
  'test/support/programs/alertmanager.ts',
  'test/support/programs/chromium.ts',
]
const VITEST = 'node_modules/vitest/vitest.mjs'

const paths = process.argv.slice(2)
try {
  requireFaketime()
  const failed = Object.entries(MOMENTS).filter(([name, moment]) => !passesAt(name, moment))
  if (failed.length > 0) throw new Error(`tests fail at ${failed.map(([name]) => name).join(', ')}`)
} catch (failure) {
  process.stderr.write(`any_hour: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}

function requireFaketime(): void {
  const { error } = spawnSync('faketime', ['--version'])
  if (error === undefined) return
  throw new Error(`faketime cannot be run (${error.message}); run: sudo apt-get install faketime`)
}

function passesAt(name: string, moment: string): boolean {
  process.stdout.write(`any_hour: ${name} (${moment})\n`)
  const exclude = testFiles()
    .filter(needsKernelClock)
    .map((path) => `--exclude=${path}`)
  const command = [process.execPath, VITEST, 'run', '--project=!built', ...paths, ...exclude]
  const { status } = spawnSync('faketime', ['-f', offsetTo(moment), ...command], {
    stdio: 'inherit',
    // Timers and durations keep the clock that nothing sets.
    env: { ...process.env, FAKETIME_DONT_FAKE_MONOTONIC: '1', TZ: 'UTC' },
  })
  return status === 0
}

/** As an offset, which holds for child processes, too; a moment would begin anew in each of them. */
function offsetTo(moment: string): string {
  const seconds = Math.round((Date.parse(moment) - Date.now()) / 1000)
  return `${seconds < 0 ? '' : '+'}${seconds}s`
}

function needsKernelClock(path: string): boolean {
  const files = closureOf(path, readIfThere)
  return OTHER_CLOCKS.some((program) => files.has(program))
}
