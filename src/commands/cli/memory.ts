import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** The young generation keeps its first size, 1 MB per semi-space. */
const FIXED_YOUNG_GENERATION = '--semi-space-growth-factor=1'
/** The default of V8: it grows with the objects that survive. */
const GROWING_YOUNG_GENERATION = '--semi-space-growth-factor=2'
/** One compiler less, and its code, some 3 MB. TurboFan still compiles what runs often. */
const ONE_COMPILER = '--no-maglev'
/** A third less user time of a scrape. */
const TWO_COMPILERS = '--maglev'

/** By default the old generation may grow to four times its size before it is collected. */
const SMALL_OLD_GENERATION = '--heap-growing-percent=60'
/** Of many nodes: a poll takes a tenth less of the CPU time, because the old generation is collected less often. */
const LARGE_OLD_GENERATION = '--heap-growing-percent=120'

/** The code of loading runs once: compiling it with TurboFan takes a fifth of the CPU time of a start, and 3 MB. */
const LOADING = '--no-opt'
const LOADED = '--opt'

const SMALL_FLEET = [FIXED_YOUNG_GENERATION, SMALL_OLD_GENERATION, ONE_COMPILER] as const
/** The young generation grows, too, to a size (`growUntil`). */
const LARGE_FLEET = [LARGE_OLD_GENERATION, TWO_COMPILERS] as const
/** About 150 nodes. With more, the settings of a small fleet cost half of the CPU time of a poll. */
const LARGE_FLEET_SERIES = 10_000
/**
 * Of both semi-spaces. With 64 MiB no less CPU time of polls was measured, with 16 MiB a tenth more. In a large response
 * everything survives: without a limit they would take 128 MB.
 */
const FLEET_YOUNG_BYTES = 32 * 1024 ** 2

/**
 * Settings of V8 that keep the memory small. By default V8 takes memory for throughput, by the size of the machine:
 * under many scrapes the process grows to three times as much. They apply from now on, so the packages must be loaded
 * later. As arguments of Node.js they would be missing wherever the program is started in another way.
 */
const FLAGS = [
  ...SMALL_FLEET,
  LOADING,
  // One thread collects the young generation. Several end sooner, but take 5 percent more CPU time of scrapes and polls.
  '--no-parallel-scavenge',
  // The HTTP parser of undici is WebAssembly. V8 would compile it a second time with more optimization when it has parsed
  // 13 MB, and keep 10 MB for that. Parsing is a small part of a poll.
  '--wasm-tiering-budget=2000000000',
] as const

export function limitMemory(): void {
  setFlags(FLAGS)
}

/** To be called when the packages of the command are loaded. */
export function optimizeCode(): void {
  setFlags([LOADED])
}

/** @returns a function to call with the number of series of the exporter, which gives a large fleet the memory that it uses */
export function createFleetMemory(): (series: number) => void {
  let isLarge = false
  let stopGrowing: () => void = () => undefined
  return (series) => {
    const wasLarge = isLarge
    isLarge = series > LARGE_FLEET_SERIES
    stopGrowing()
    if (isLarge !== wasLarge) setFlags(isLarge ? LARGE_FLEET : SMALL_FLEET)
    // For every exposition, because V8 makes the young generation small again while the process is idle.
    if (isLarge) stopGrowing = growUntil(FLEET_YOUNG_BYTES)
  }
}

/** Of both semi-spaces. More saves less than a tenth of the CPU time of a backfill, and costs up to 130 MB. */
const LARGE_YOUNG_BYTES = 8 * 1024 ** 2

/** Gives a command that reads much at once memory for throughput: a backfill takes three fifths of the CPU time. */
export function giveThroughput(): void {
  setFlags(LARGE_FLEET)
  growUntil(LARGE_YOUNG_BYTES)
}

const CHECK_MS = 20

/** Lets the young generation grow until it has this size. @returns a function that ends it before */
function growUntil(bytes: number): () => void {
  const isReached = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    return (young?.space_size ?? 0) >= bytes
  }
  setFlags([isReached() ? FIXED_YOUNG_GENERATION : GROWING_YOUNG_GENERATION])
  const timer = setInterval(() => {
    if (!isReached()) return
    setFlags([FIXED_YOUNG_GENERATION])
    clearInterval(timer)
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

function setFlags(flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag)
}
