/**
 * Measures `backfill` of 60 days of 8 nodes through the query interface of an emulated system in another process, and
 * writes the figures into docs/history.md. Takes about ten minutes.
 *
 *   npm run bench:query-history [DAYS]
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { replaceMarked } from '../markdown/marked.ts'
import { runBackfill } from './backfill_process.ts'
import { startEmulated } from './emulator/emulated.ts'

const NODES = 8
const DAY_SECONDS = 86_400
const BYTES_PER_MB = 1e6
const SAMPLES_PER_MILLION = 1e6
const KEPT_DAYS = 60
const DAYS = Number(process.argv[2] ?? KEPT_DAYS)
const PAGE = 'docs/history.md'

execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
using emulated = await startEmulated(NODES, 'modern')
const end = Math.floor(Date.now() / 1000)
const before = await emulated.load()
const run = await runBackfill(
  emulated.url,
  `--from=${end - DAYS * DAY_SECONDS}`,
  `--to=${end}`,
  '--source=query',
)
const after = await emulated.load()

const queries = after.queries - before.queries
const text = `Measured with ${NODES} nodes over ${DAYS} days: ${queries.toLocaleString('en')} requests, at most ${after.mostAtOnce} at a time;
${(run.samples / SAMPLES_PER_MILLION).toFixed(1)} million samples in ${Math.round(run.seconds)} s, of which ${Math.round(run.cpuSeconds)} s CPU time of \`backfill\`, whose resident memory is at most
${Math.round(run.maxResidentBytes / BYTES_PER_MB)} MB. The emulated system took ${Math.round(after.cpuSeconds - before.cpuSeconds)} s of CPU time to answer; a real one takes longer.
`
process.stdout.write(text)
if (DAYS === KEPT_DAYS) writeFileSync(PAGE, replaceMarked(readFileSync(PAGE, 'utf8'), 'sixty days', text))
