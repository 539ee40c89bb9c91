import { measureRounds, type PolledFleet, type RoundFigures } from './polls/polls.ts'
import { count, milliseconds, type Row, ratio, seconds } from './table.ts'

/** In seconds. */
interface Goals {
  readonly round?: number
  readonly scraped?: number
  readonly delay?: number
}

const FLEETS: readonly (PolledFleet & Goals)[] = [
  { pools: 1, nodesPerPool: 16, intervalSeconds: 5 },
  { pools: 10, nodesPerPool: 64, intervalSeconds: 5, round: 0.2, delay: 0.06 },
  { pools: 160, nodesPerPool: 63, intervalSeconds: 10, round: 1.5, scraped: 3, delay: 0.1 },
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
    rows.push({ part: 'e', what, own, ...goalOf(fleet.delay) })
  }
  return rows
}

function goalOf(most: number | undefined): Pick<Row, 'goal'> {
  return most === undefined ? {} : { goal: { most, unit: 's' } }
}

function roundRow(
  what: string,
  { cpuSeconds, parseSeconds, bodyBytes }: RoundFigures,
  goal: number | undefined,
): Row {
  return {
    part: 'b',
    what,
    own: `${seconds(cpuSeconds)} CPU`,
    reference: `JSON.parse of ${(bodyBytes / 1e6).toFixed(1)} MB`,
    referenceTakes: `${milliseconds(parseSeconds * 1000)} CPU`,
    ratio: ratio(cpuSeconds / parseSeconds),
    ...goalOf(goal),
  }
}
