/**
 * Builds Thanos and Mimir from the Go module proxy into `.cache/clusters`, and runs the tests of
 * remote write to them and to VictoriaMetrics: of a backfill, and of Prometheus while it scrapes.
 * The first build takes about ten minutes and a few gigabytes in the caches of Go. Needs Go.
 */
import { spawnSync } from 'node:child_process'
import { CLUSTERS, clusterFolder } from '../tools/clusters.ts'
import { buildPrograms } from '../tools/go_programs.ts'

try {
  for (const cluster of CLUSTERS) buildPrograms(cluster, clusterFolder(cluster))
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project=built', 'test/clusters']
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
} catch (failure) {
  process.stderr.write(`clusters: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}
