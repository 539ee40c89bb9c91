/** Alternates two measurements, so that changes of machine speed affect both. The ratio is the median of the pairs. */
export async function compare(
  rounds: number,
  exporter: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<{ readonly exporter: number; readonly reference: number; readonly ratio: number }> {
  const pairs: [number, number][] = []
  await exporter()
  await reference()
  for (let round = 0; round < rounds; round += 1) pairs.push([await exporter(), await reference()])
  return {
    exporter: median(pairs.map(([one]) => one)),
    reference: median(pairs.map(([, other]) => other)),
    ratio: median(pairs.map(([one, other]) => one / other)),
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Duration of a task in milliseconds. */
export async function timed(task: () => unknown): Promise<number> {
  const start = performance.now()
  await task()
  return performance.now() - start
}

/** CPU time of this process for a task, in seconds. */
export function cpuSecondsOf(task: () => void): number {
  const before = process.cpuUsage()
  task()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

export function milliseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} ms`
}
