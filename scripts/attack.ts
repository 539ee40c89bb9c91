/**
 * Attacks an exporter on loopback from both sides, as clients and as a storage system, and prints for each attack the
 * longest answer times of /-/healthy and of scrapes, memory, and bytes of log. Exit code 1 if a limit was exceeded. Takes
 * about half an hour; Linux only, as root: the exporter runs in a control group with the memory limit of the
 * systemd unit.
 *
 *   npm run attack [-- NAME…]
 */
import { memoryLimitMib, startSystem, startTarget } from './attack/exporter.ts'
import { type Measured, measureRow } from './attack/measure.ts'
import { OTHER, type Row, STEADY } from './attack/row.ts'
import { ADMINISTRATION } from './attack/rows/administration.ts'
import { HOSTILE_ANSWERS } from './attack/rows/answers.ts'
import { CLIENTS } from './attack/rows/clients.ts'

const ROWS: readonly Row[] = [...CLIENTS, ...ADMINISTRATION, ...HOSTILE_ANSWERS]
const HEAD = ['attack', 'healthy', 'scrapes', 'after', 'memory', 'log', 'result']
const WIDTHS = [24, 8, 8, 8, 9, 8]

const names = process.argv.slice(2)
const unknown = names.filter((name) => !ROWS.some((row) => row.name === name))
if (unknown.length > 0) {
  const known = ROWS.map(({ name, sent }) => `  ${name.padEnd(24)}${sent}\n`).join('')
  process.stderr.write(`no attack has the name ${unknown.join(', ')}; the attacks are:\n${known}`)
  process.exitCode = 2
} else {
  await attackAll(ROWS.filter(({ name }) => names.length === 0 || names.includes(name)))
}

async function attackAll(rows: readonly Row[]): Promise<void> {
  const limit = memoryLimitMib()
  const [steady, other] = [await startSystem(STEADY), await startSystem(OTHER)]
  await using _steady = steady.child
  await using _other = other.child
  process.stdout.write(line(HEAD))
  for (const row of rows) {
    await using target = await startTarget(row.setup ?? {}, { [STEADY]: steady.url, [OTHER]: other.url })
    const measured = await measureRow(row, target, limit)
    process.stdout.write(line(cellsOf(row, measured)))
    if (measured.problems.length > 0) process.exitCode = 1
  }
}

function cellsOf({ name }: Row, measured: Measured): string[] {
  const { health, scrapes, scrapeAfterMs, memoryMib, logBytes, problems } = measured
  return [
    name,
    `${Math.round(health.longestMs)} ms`,
    scrapes.problem ?? `${Math.round(scrapes.longestMs)} ms`,
    `${Math.round(scrapeAfterMs)} ms`,
    `${Math.round(memoryMib)} MiB`,
    `${Math.ceil(logBytes / 1000)} kB`,
    problems.length === 0 ? 'ok' : `FAILED: ${problems.join('; ')}`,
  ]
}

function line(cells: readonly string[]): string {
  return `${cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join('  ')}\n`
}
