/**
 * Provides the programs that the tests run, from Debian, and says what it does. Quick when everything is
 * here; a program that cannot be provided is an error with its remedy, never a skipped test.
 */
import { say } from './tools/debian.ts'
import { provide, provideFonts } from './tools/provide.ts'
import { TOOL_NAMES } from './tools/table.ts'

try {
  for (const tool of TOOL_NAMES) provide(tool)
  provideFonts()
  say(`${TOOL_NAMES.join(', ')} and fonts are here`)
} catch (failure) {
  process.stderr.write(`tools: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}
