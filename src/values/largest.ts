/** The largest of the numbers that are known; undefined if none is. */
export function largest(numbers: Iterable<number | undefined>): number | undefined {
  let most: number | undefined
  for (const number of numbers)
    if (number !== undefined && number > (most ?? Number.NEGATIVE_INFINITY)) most = number
  return most
}
