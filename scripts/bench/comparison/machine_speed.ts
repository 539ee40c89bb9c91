import { startEmulated } from '../emulator/emulated.ts'
import { cpuSecondsOf, median } from './figures.ts'

const NODES = 63
const RUNS = 5
const BYTES_PER_MB = 1e6

/** The goals in units of time were set on a machine on which `JSON.parse` of so many nodes feeds took this CPU time. */
export const REFERENCE = { megabytes: 38, seconds: 0.16 }

/** CPU time of `JSON.parse` of the nodes feeds of {@link REFERENCE} now, in seconds. */
export async function parseSeconds(): Promise<number> {
  using emulated = await startEmulated(NODES, 'classic')
  const path = `/dashboard/storagepools/${emulated.pool}/nodes?dataType=current`
  const response = await fetch(`${emulated.url}${path}`, {
    headers: { 'X-SDS-AUTH-TOKEN': 'emulator-monitor' },
  })
  const body = await response.text()
  if (!response.ok) throw new Error(body)
  const times = Math.round((REFERENCE.megabytes * BYTES_PER_MB) / body.length)
  const parseAll = () => {
    for (let time = 0; time < times; time += 1) JSON.parse(body)
  }
  return median(Array.from({ length: RUNS }, () => cpuSecondsOf(parseAll)))
}

/** A goal that depends on the speed of the machine. */
export type TimedGoal =
  | { readonly unit: 's'; readonly most: number }
  | { readonly unit: 'samples/s and core'; readonly least: number }

/** The goal on the machine where it was set, and on this one. @param slowness CPU times here, divided by those there */
export function goalText(goal: string | TimedGoal, slowness: number): string {
  if (typeof goal === 'string') return goal
  const [there, here] =
    'most' in goal ? [goal.most, goal.most * slowness] : [goal.least, goal.least / slowness]
  return `${figure(there)} ${goal.unit}, here ${figure(here)}`
}

const figure = (value: number) => Number(value.toPrecision(2)).toLocaleString('en')
