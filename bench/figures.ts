/** Runs two measurements in turn, so that a machine that slows down slows both, and gives the ratio pair by pair. */
export async function compare(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ readonly ours: number; readonly theirs: number; readonly ratio: number }> {
  const pairs: [number, number][] = []
  await ours()
  await theirs()
  for (let round = 0; round < rounds; round += 1) pairs.push([await ours(), await theirs()])
  return {
    ours: median(pairs.map(([one]) => one)),
    theirs: median(pairs.map(([, other]) => other)),
    ratio: median(pairs.map(([one, other]) => one / other)),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Milliseconds that a task takes. */
export async function timed(task: () => unknown): Promise<number> {
  const began = performance.now()
  await task()
  return performance.now() - began
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`
}
