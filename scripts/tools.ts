/**
 * Provides the programs that the tests run, from PATH or from Debian packages. Does nothing for programs that are
 * provided already. Fails if a program cannot be provided.
 */
import { log } from './tools/debian.ts'
import { provide, provideEngine, provideFonts } from './tools/provide.ts'
import { TOOL_NAMES } from './tools/table.ts'

try {
  for (const tool of TOOL_NAMES) provide(tool)
  provideFonts()
  provideEngine()
  log(`${TOOL_NAMES.join(', ')} and fonts are provided`)
} catch (failure) {
  process.stderr.write(`tools: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}
