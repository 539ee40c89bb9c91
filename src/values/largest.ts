/** The largest of the numbers that are known; undefined if none is. */
export function largest(numbers: Iterable<number | undefined>): number | undefined {
  let most: number | undefined
  for (const number of numbers)
    if (number !== undefined && number > (most ?? Number.NEGATIVE_INFINITY)) most = number
  return most
}

/** The smallest of the numbers that are known; undefined if none is. */
export function smallest(numbers: Iterable<number | undefined>): number | undefined {
  let least: number | undefined
  for (const number of numbers)
    if (number !== undefined && number < (least ?? Number.POSITIVE_INFINITY)) least = number
  return least
}
