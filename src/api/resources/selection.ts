/** An item with its size. */
export interface Sized {
  readonly key: string
  readonly size: number
}

/** What was selected stays until it is beyond this multiple of the limit, so that the selection is stable. */
const KEPT_SHARE = 1.5

/** Selects the largest items repeatedly. */
export function createSelection<T extends Sized>(max: number) {
  let selected: ReadonlySet<string> = new Set()
  const ranked = (items: readonly T[]) =>
    items
      .toSorted((a, b) => b.size - a.size || (a.key < b.key ? -1 : 1))
      .slice(0, Math.ceil(max * KEPT_SHARE))

  return {
    /** Of items that come in several lists, those that can still be selected. */
    candidates: (items: readonly T[]): readonly T[] =>
      items.length > max * KEPT_SHARE * 2 ? ranked(items) : items,
    select(items: readonly T[]): readonly T[] {
      const list = ranked(items)
      const kept = list.filter(({ key }) => selected.has(key)).slice(0, max)
      const others = list.filter(({ key }) => !selected.has(key))
      const result = [...kept, ...others].slice(0, max)
      selected = new Set(result.map(({ key }) => key))
      return result
    },
  }
}
