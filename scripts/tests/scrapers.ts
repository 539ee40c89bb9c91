/**
 * Builds vmagent, VictoriaMetrics, an OpenTelemetry collector and Prometheus 3 from the Go module proxy into `.cache`, and
 * tests that they and the Prometheus of Debian store what the exporter serves. The first build takes up to an hour on two
 * cores. Needs Go.
 */
import { spawnSync } from 'node:child_process'
import { buildScrapers } from '../tools/scrapers.ts'

try {
  buildScrapers()
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project=built',
    'test/scrapers',
    ...process.argv.slice(2),
  ]
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
} catch (failure) {
  process.stderr.write(`scrapers: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}
