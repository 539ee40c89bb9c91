import { ATTRIBUTES, type AttributeName } from '../../catalogue.ts'
import type { Snapshot } from './snapshots.ts'

/** The served attributes of a node. */
export type NodeValues = Pick<ReadonlyMap<AttributeName, Snapshot>, 'get' | 'has' | 'size'> &
  Iterable<readonly [AttributeName, Snapshot]>

const NAMES: readonly AttributeName[] = ATTRIBUTES.map(({ name }) => name)
const INDEXES: ReadonlyMap<AttributeName, number> = new Map(NAMES.map((name, index) => [name, index]))

/** A list with a place for each attribute: a node with all of them takes 2.6 kB, with a map 4.1 kB. */
export class NodeValuesList implements NodeValues {
  readonly #list = new Array<Snapshot | undefined>(NAMES.length).fill(undefined)

  set(name: AttributeName, snapshot: Snapshot): void {
    this.#list[INDEXES.get(name) ?? 0] = snapshot
  }

  get(name: AttributeName): Snapshot | undefined {
    return this.#list[INDEXES.get(name) ?? 0]
  }

  has(name: AttributeName): boolean {
    return this.get(name) !== undefined
  }

  get size(): number {
    return [...this].length
  }

  *[Symbol.iterator](): Generator<readonly [AttributeName, Snapshot]> {
    for (const name of NAMES) {
      const snapshot = this.get(name)
      if (snapshot !== undefined) yield [name, snapshot]
    }
  }
}
