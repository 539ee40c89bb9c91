import type { QueryAnswer, Series } from './answer.ts'

/** Adds the point before the newest to series that have one point only. */
export interface RememberedPoints {
  /** Replaces what is remembered by the answers of this poll. */
  add(answers: readonly QueryAnswer[]): QueryAnswer[]
}

/** For systems that are asked for the newest point only. A series that is not in an answer is forgotten. */
export function createRememberedPoints(): RememberedPoints {
  let remembered: ReadonlyMap<string, Series> = new Map()

  function withPrevious(key: string, series: Series): Series {
    const newest = series.points.at(-1)
    const before = remembered.get(key)?.points ?? []
    const earlier = before.filter(({ t }) => newest !== undefined && t < newest.t).slice(-1)
    return { ...series, points: newest === undefined ? [] : [...earlier, newest] }
  }

  return {
    add(answers) {
      const added = answers.map((answer) => ({
        ...answer,
        series: new Map([...answer.series].map(([key, series]) => [key, withPrevious(key, series)])),
      }))
      remembered = new Map(added.flatMap(({ series }) => [...series]))
      return added
    },
  }
}
