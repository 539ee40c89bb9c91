import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/folders.ts'
import { runBackfill } from './backfill_process.ts'
import { cpuSecondsOf } from './comparison/figures.ts'
import { startEmulated } from './emulator/emulated.ts'
import { measureHistory } from './history.ts'
import { count, mebibytes, type Row, ratio, seconds } from './table.ts'

const NODES = 8
const QUERY_DAYS = 10
const DAY_SECONDS = 86_400

/** Part f: `backfill` of both sources beside writing of the same text. */
export async function historyRows(): Promise<Row[]> {
  const feed = await measureHistory()
  return [
    {
      part: 'f',
      what: `backfill of the feed, ${millions(feed.samples)} samples of ${NODES} nodes, in one process`,
      own: `${perSecond(feed.perCpuSecond)}; ${mebibytes(feed.maxResidentBytes)}`,
      reference: 'JSON.parse of the bodies and writing of the text',
      ratio: ratio(feed.ratio),
      goal: { least: 300_000, unit: 'samples/s and core' },
    },
    await queryRow(),
  ]
}

async function queryRow(): Promise<Row> {
  using emulated = await startEmulated(NODES, 'modern')
  const end = Math.floor(Date.now() / 1000)
  const run = await runBackfill(
    emulated.url,
    `--from=${end - QUERY_DAYS * DAY_SECONDS}`,
    `--to=${end}`,
    '--source=query',
  )
  const writing = cpuOfWriting(run.bytes)
  return {
    part: 'f',
    what: `backfill of the query interface, ${millions(run.samples)} samples of ${NODES} nodes, with the start of the program`,
    own: `${perSecond(run.samples / run.cpuSeconds)}; ${mebibytes(run.maxResidentBytes)}`,
    reference: `writing of the ${mebibytes(run.bytes)} of text`,
    referenceTakes: `${seconds(writing)} CPU`,
    ratio: ratio(run.cpuSeconds / writing),
    goal: { least: 200_000, unit: 'samples/s and core' },
  }
}

function cpuOfWriting(bytes: number): number {
  using folder = temporaryFolder()
  const text = Buffer.alloc(bytes, 'a')
  return cpuSecondsOf(() => writeFileSync(join(folder.path, 'text'), text))
}

const millions = (samples: number) => `${(samples / 1e6).toFixed(1)} million`
const perSecond = (samples: number) => `${count(Math.round(samples / 1000) * 1000)} samples/s and core`
