import type { Period } from '../../api/history/series.ts'

/** Values of a period that a source did not answer. */
export interface Hole extends Pick<Period, 'start' | 'end'> {
  /** Key of the source. */
  readonly source: string
  /** Subject of the values, as the source names it. */
  readonly subject: string
}

/** The holes with another one. Those of the same subject that touch become one. */
export function withHole(holes: readonly Hole[], hole: Hole): readonly Hole[] {
  const touching = holes.filter(
    ({ source, subject, start, end }) =>
      source === hole.source && subject === hole.subject && start <= hole.end && end >= hole.start,
  )
  const united = [hole, ...touching]
  const start = Math.min(...united.map((one) => one.start))
  const end = Math.max(...united.map((one) => one.end))
  return [...holes.filter((one) => !touching.includes(one)), { ...hole, start, end }]
}

/** What remains of the holes when the values of these subjects are there for the period. */
export function withoutPeriod(
  holes: readonly Hole[],
  { source, subjects }: { readonly source: string; readonly subjects: ReadonlySet<string> },
  { start, end }: Pick<Period, 'start' | 'end'>,
): readonly Hole[] {
  return holes.flatMap((hole) => {
    if (hole.source !== source || !subjects.has(hole.subject)) return [hole]
    const rest = [
      { ...hole, end: Math.min(hole.end, start) },
      { ...hole, start: Math.max(hole.start, end) },
    ]
    return rest.filter((one) => one.start < one.end)
  })
}

/** One that cannot be read does not hide those after it. */
const MOST_SECONDS = 3600

/** The holes of a source by their periods, an hour at most: the values of one period are read together. */
export function periodsOfHoles(holes: readonly Hole[], source: string) {
  const own = holes.filter((hole) => hole.source === source)
  const byPeriod = Map.groupBy(own, ({ start, end }) => `${start} ${end}`)
  return [...byPeriod.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const subjects = new Set(same.map(({ subject }) => subject))
    return Array.from({ length: Math.ceil((first.end - first.start) / MOST_SECONDS) }, (_, index) => {
      const start = first.start + index * MOST_SECONDS
      return { start, end: Math.min(start + MOST_SECONDS, first.end), subjects }
    })
  })
}
