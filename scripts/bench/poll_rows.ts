import { measureRounds, type PolledFleet, type RoundFigures } from './polls/polls.ts'
import { count, milliseconds, type Row, ratio, seconds } from './table.ts'

interface Goals {
  readonly round: string
  readonly scraped: string
  readonly delay: string
}

const FLEETS: readonly (PolledFleet & Goals)[] = [
  { pools: 1, nodesPerPool: 16, intervalSeconds: 5, round: '–', scraped: '–', delay: '–' },
  { pools: 10, nodesPerPool: 64, intervalSeconds: 10, round: '0.2 s', scraped: '–', delay: '60 ms' },
  { pools: 160, nodesPerPool: 63, intervalSeconds: 20, round: '1.5 s', scraped: '3 s', delay: '100 ms' },
]

/** Parts b and e: rounds of polls beside `JSON.parse` of the same bodies, and delays of the event loop. */
export async function pollRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const fleet of FLEETS) {
    const nodes = count(fleet.pools * fleet.nodesPerPool)
    const alone = await measureRounds(fleet, false)
    const scraped = await measureRounds(fleet, true)
    rows.push(
      roundRow(`round of polls, ${nodes} nodes`, alone, fleet.round),
      roundRow(`round of polls and a gzip scrape, ${nodes} nodes`, scraped, fleet.scraped),
    )
    const { delays } = scraped
    if (delays === undefined) continue
    const own = `p99 ${milliseconds(delays.p99)}, longest ${milliseconds(delays.longest)}`
    const what = `delay of the event loop in a round with a scrape, ${nodes} nodes`
    rows.push({ part: 'e', what, own, goal: fleet.delay })
  }
  return rows
}

function roundRow(what: string, { cpuSeconds, parseSeconds, bodyBytes }: RoundFigures, goal: string): Row {
  return {
    part: 'b',
    what,
    own: `${seconds(cpuSeconds)} CPU`,
    reference: `JSON.parse of ${(bodyBytes / 1e6).toFixed(1)} MB`,
    referenceTakes: `${milliseconds(parseSeconds * 1000)} CPU`,
    ratio: ratio(cpuSeconds / parseSeconds),
    goal,
  }
}
