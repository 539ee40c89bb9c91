import { eachInSteps, type Steps } from '../../slices.ts'
import { isReadable, type QueryAnswer, type Series } from './answer.ts'
import { MOST_SECONDS } from './rates.ts'

/** Adds the point before the newest to series that have one point only. */
export interface RememberedPoints {
  addSteps(answers: readonly QueryAnswer[]): Steps<readonly QueryAnswer[]>
}

/**
 * For systems that are asked for the newest point only. A query may fail once, and an answer may lack nodes: a series
 * that is not in the answers is remembered as long as its point can be used.
 */
export function createRememberedPoints(): RememberedPoints {
  let remembered: ReadonlyMap<string, Series> = new Map()

  function withPrevious(key: string, series: Series): Series {
    const newest = series.points.at(-1)
    const before = remembered.get(key)?.points.filter(isReadable) ?? []
    const earlier = before.filter(({ t }) => newest !== undefined && t < newest.t).slice(-1)
    return { ...series, points: newest === undefined ? [] : [...earlier, newest] }
  }

  function* usableAt(stop: number): Steps<Map<string, Series>> {
    const usable = new Map<string, Series>()
    yield* eachInSteps(remembered, ([key, series]) => {
      const newest = series.points.findLast(isReadable)
      if (newest !== undefined && newest.t >= stop - MOST_SECONDS) usable.set(key, series)
    })
    return usable
  }

  return {
    *addSteps(answers) {
      const next = yield* usableAt(Math.max(0, ...answers.map(({ stop = 0 }) => stop)))
      const added: QueryAnswer[] = []
      for (const answer of answers) {
        const series = new Map<string, Series>()
        yield* eachInSteps(answer.series, ([key, one]) => {
          const both = withPrevious(key, one)
          series.set(key, both)
          next.set(key, both)
        })
        added.push({ ...answer, series })
      }
      remembered = next
      return added
    },
  }
}
