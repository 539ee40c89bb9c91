import { type Finished, run } from './processes.ts'
import { toolPath } from './tools.ts'

/** Runs promtool. Findings give an exit code, not an exception. */
export function promtool(args: readonly string[], input = ''): Promise<Finished> {
  return run(toolPath('promtool'), args, { input, timeout: 120_000 })
}

/** Checks syntax and naming conventions of a text exposition. Findings are on stderr. */
export function checkMetrics(exposition: string): Promise<Finished> {
  return promtool(['check', 'metrics'], exposition)
}

export function checkRules(...files: readonly string[]): Promise<Finished> {
  return promtool(['check', 'rules', '--lint=all', '--lint-fatal', ...files])
}

/** Runs rule unit tests. Paths of rule files are relative to the test file. */
export function testRules(...files: readonly string[]): Promise<Finished> {
  return promtool(['test', 'rules', ...files])
}

export function checkConfig(file: string): Promise<Finished> {
  return promtool(['check', 'config', file])
}

/** Creates TSDB blocks in `folder` from an OpenMetrics file with timestamps. */
export function createBlocks(openMetricsFile: string, folder: string): Promise<Finished> {
  return promtool(['tsdb', 'create-blocks-from', 'openmetrics', openMetricsFile, folder])
}
