import { setFlagsFromString } from 'node:v8'

/** The young generation keeps its first size, 1 MB per semi-space. */
const FIXED_YOUNG_GENERATION = '--semi-space-growth-factor=1'
/** The default of V8: it grows with the objects that survive. */
const GROWING_YOUNG_GENERATION = '--semi-space-growth-factor=2'
/** About 150 nodes. With more, a fixed young generation costs half of the CPU time of a poll. */
const LARGE_FLEET_SERIES = 10_000

/**
 * Settings of V8 that keep the memory small. By default V8 takes memory for throughput, by the size of the machine:
 * under many scrapes the process grows to three times as much. They apply from now on, so the packages must be loaded
 * later. As arguments of Node.js they would be missing wherever the program is started in another way.
 */
const FLAGS = [
  FIXED_YOUNG_GENERATION,
  // The old generation is collected after it has grown by 60 percent; by default it may grow to four times its size.
  '--heap-growing-percent=60',
  // The HTTP parser of undici is WebAssembly. V8 would compile it a second time with more optimization when it has parsed
  // 13 MB, and keep 10 MB for that. Parsing is a small part of a poll.
  '--wasm-tiering-budget=2000000000',
  // One compiler less, and its code. TurboFan still compiles what runs often.
  '--no-maglev',
] as const

export function limitMemory(): void {
  for (const flag of FLAGS) setFlagsFromString(flag)
}

/** @returns a function to call with the number of series of the exporter, which gives a large fleet the memory that it uses */
export function createFleetMemory(): (series: number) => void {
  let isLarge = false
  return (series) => {
    if (series > LARGE_FLEET_SERIES === isLarge) return
    isLarge = !isLarge
    setFlagsFromString(isLarge ? GROWING_YOUNG_GENERATION : FIXED_YOUNG_GENERATION)
  }
}
