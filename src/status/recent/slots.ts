/** Length of a slot. Polls of the demo are this far apart. */
export const SLOT_SECONDS = 15
export const MINUTE_SLOTS = 60 / SLOT_SECONDS
/** One hour. */
export const SLOTS = 240

/** Values of the last hour, in slots of 15 seconds. Memory is constant. */
export type Slots<Column extends string> = ReturnType<typeof createSlots<Column>>

/** Slots are numbered; changes of older ones than those kept are ignored. */
export function createSlots<Column extends string>(columns: readonly Column[]) {
  // Single precision is enough for charts. NaN: no value.
  const values = new Float32Array(SLOTS * columns.length).fill(Number.NaN)
  const numbers = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY)

  /** The index of a value; undefined if the slot is older than the one that took its place. */
  function place(slot: number, column: Column): number | undefined {
    const row = slot % SLOTS
    const held = numbers[row] ?? Number.NEGATIVE_INFINITY
    if (held > slot) return undefined
    if (held < slot) {
      numbers[row] = slot
      values.fill(Number.NaN, row * columns.length, (row + 1) * columns.length)
    }
    return row * columns.length + columns.indexOf(column)
  }

  function change(slot: number, column: Column, next: (before: number) => number): void {
    const index = place(slot, column)
    if (index !== undefined) values[index] = next(values[index] ?? Number.NaN)
  }

  return {
    /** Adds to the value of a slot, which is 0 at first. */
    add: (slot: number, column: Column, value: number): void =>
      change(slot, column, (before) => (Number.isNaN(before) ? value : before + value)),
    /** Sets the value, if it is larger than the one that the slot has. */
    raise: (slot: number, column: Column, value: number): void =>
      change(slot, column, (before) => (before > value ? before : value)),
    set: (slot: number, column: Column, value: number): void => change(slot, column, () => value),
    /** The value; undefined if the slot has none. */
    get(slot: number, column: Column): number | undefined {
      const row = slot % SLOTS
      if (numbers[row] !== slot) return undefined
      const value = values[row * columns.length + columns.indexOf(column)] ?? Number.NaN
      return Number.isNaN(value) ? undefined : value
    },
  }
}
