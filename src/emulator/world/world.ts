import type { AttributeName } from '../../catalogue.ts'
import { type Moment, momentOf } from './moment.ts'
import { createStage, type Scenario, type Stage } from './scenarios.ts'
import { SIGNALS } from './signals.ts'
import { createTopology, type Node, type Pool } from './topology.ts'

/** The storage system as it is, was and will be; asking it changes nothing. Times in epoch seconds. */
export interface World {
  readonly key: number
  readonly pools: readonly Pool[]
  readonly stage: Stage
  readonly moment: (node: Node, t: number, form: Moment['form']) => Moment
  /** The value in the catalogue's unit. */
  readonly value: (attribute: AttributeName, node: Node, t: number, form: Moment['form']) => number
}

export interface WorldOptions {
  readonly seed: string
  readonly pools: number
  readonly nodes: number
  readonly scenario: Scenario
}

export function createWorld(options: WorldOptions, now: number): World {
  const { key, pools } = createTopology(options)
  const stage = createStage(options.scenario, now, pools)
  const all = pools.flatMap((pool) => pool.nodes)
  const moment: World['moment'] = (node, t, form) => momentOf(stage, node, t, form)
  /** A figure of the whole system that every node repeats (API document, "Node metric attributes"). */
  const offlineTotal = (t: number) =>
    all.reduce((sum, node) => sum + SIGNALS.diskSpaceOfflineTotal(moment(node, t, 'current')), 0)
  return {
    key,
    pools,
    stage,
    moment,
    value: (attribute, node, t, form) =>
      attribute === 'diskSpaceOfflineTotal' ? offlineTotal(t) : SIGNALS[attribute](moment(node, t, form)),
  }
}
