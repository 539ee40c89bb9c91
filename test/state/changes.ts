import { atOnce, type Steps } from '../../src/slices.ts'
import * as state from '../../src/state/changes.ts'

/** The changes of a state, without interruption. */
const whole =
  <P extends readonly unknown[], T>(change: (...parameters: P) => Steps<T>) =>
  (...parameters: P): T =>
    atOnce(change(...parameters))

export const withPools = whole(state.withPools)
export const withPoll = whole(state.withPoll)
export const withPerformancePoll = whole(state.withPerformancePoll)
export const withPerformance = whole(state.withPerformance)
export const withdrawn = whole(state.withdrawn)
