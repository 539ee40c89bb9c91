/**
 * Attacks an exporter on loopback from both sides, as clients and as a storage system, and prints for each attack the
 * longest answer time of /-/healthy, the scrapes of another client, memory, CPU time, the polls of another system and
 * the bytes of log. Exit code 1 if a limit was exceeded. Takes about 20 minutes; Linux only.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readDeployment } from './attack/deployment.ts'
import { measureRow } from './attack/harness.ts'
import type { Row } from './attack/row.ts'
import { ROWS } from './attack/rows/rows.ts'
import { type Result, resultCells, TEXT_HEAD, textLine, withTable } from './attack/table.ts'
import { startSystems, startTarget } from './attack/target.ts'
import { judge, LIMITS } from './attack/verdict.ts'

const HELP = `Usage: npm run attack -- [--only=NAME[,NAME…]] [--markdown=FILE]

  --only=NAME      only these attacks
  --markdown=FILE  write the table between the marks of this page
  --help           this help

Attacks:
${ROWS.map(({ name, sent }) => `  ${name.padEnd(24)}${sent}\n`).join('')}`

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    markdown: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
process.exitCode = await main()

async function main(): Promise<number> {
  if (flags.help) return write(HELP, 0)
  const names = flags.only?.split(',')
  const unknown = names?.find((name) => ROWS.every((row) => row.name !== name))
  if (unknown !== undefined) return write(`no attack has the name ${unknown}\n\n${HELP}`, 2)
  if (names !== undefined && flags.markdown !== undefined)
    return write('--markdown needs all attacks: omit --only\n', 2)
  // Fails before the attacks, not after them, if the file is missing.
  if (flags.markdown !== undefined) readFileSync(flags.markdown)
  const results = await attackAll(ROWS.filter(({ name }) => names?.includes(name) ?? true))
  if (flags.markdown !== undefined)
    writeFileSync(flags.markdown, withTable(readFileSync(flags.markdown, 'utf8'), results))
  return results.every(({ problems }) => problems.length === 0) ? 0 : 1
}

async function attackAll(rows: readonly Row[]): Promise<Result[]> {
  // Stops the processes when this script is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const limits = { ...LIMITS, memoryMib: readDeployment().memoryMib }
  const systems = await startSystems()
  const results: Result[] = []
  write(TEXT_HEAD, 0)
  for (const row of rows) {
    process.stderr.write(`${row.name}: ${row.sent} …\n`)
    const measurement = await measureRow(row, (setup) => startTarget(setup, systems))
    const result = { row, ...measurement, problems: judge(measurement.measured, limits) }
    results.push(result)
    write(textLine(resultCells(result)), 0)
  }
  await systems.stop()
  return results
}

function write(text: string, code: number): number {
  process.stdout.write(text)
  return code
}
