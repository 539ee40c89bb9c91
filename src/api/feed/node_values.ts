import { ATTRIBUTES, type AttributeName, type SourceUnit } from '../../catalogue.ts'
import type { Snapshot } from './snapshots.ts'

/** The served attributes of a node. */
export type NodeValues = Pick<ReadonlyMap<AttributeName, Snapshot>, 'get' | 'has' | 'size'> &
  Iterable<readonly [AttributeName, Snapshot]>

const NAMES: readonly AttributeName[] = ATTRIBUTES.map(({ name }) => name)
const INDEXES: ReadonlyMap<AttributeName, number> = new Map(NAMES.map((name, index) => [name, index]))

/** A node of the feed has about 40 snapshots; as numbers in one list they take a quarter of the memory of objects. */
export class NodeValuesList implements NodeValues {
  /** The time and the value of each attribute; NaN for an attribute without a value. */
  readonly #numbers = new Array<number>(2 * NAMES.length).fill(Number.NaN)
  /** Units that are not those of the catalogue. */
  #units: Map<AttributeName, SourceUnit> | undefined

  set(name: AttributeName, { t, value, unit }: Snapshot): void {
    const index = INDEXES.get(name) ?? 0
    this.#numbers[2 * index] = t
    this.#numbers[2 * index + 1] = value
    if (unit !== undefined) this.#units = (this.#units ?? new Map()).set(name, unit)
  }

  get(name: AttributeName): Snapshot | undefined {
    const index = INDEXES.get(name) ?? 0
    const t = this.#numbers[2 * index] ?? Number.NaN
    const value = this.#numbers[2 * index + 1] ?? Number.NaN
    const unit = this.#units?.get(name)
    if (Number.isNaN(t)) return undefined
    return unit === undefined ? { t, value } : { t, value, unit }
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
