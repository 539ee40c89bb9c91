/** The largest of the numbers that are known; undefined if none is. */
export const largest = chosenBy(Math.max)

/** The smallest of the numbers that are known; undefined if none is. */
export const smallest = chosenBy(Math.min)

function chosenBy(choose: (a: number, b: number) => number) {
  return (numbers: Iterable<number | undefined>): number | undefined => {
    const known = [...numbers].filter((number) => number !== undefined)
    return known.length === 0 ? undefined : known.reduce((a, b) => choose(a, b))
  }
}
