import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isNativeError } from 'node:util/types'
import { createContext, Script } from 'node:vm'
import fc from 'fast-check'
import { describe, test } from 'vitest'

/** A function that takes text from outside, and what must hold for every text. */
export interface Target {
  /** Folder of the kept inputs, below test/fuzz/corpus. They are checked first, one test for each file. */
  readonly corpus: string
  readonly input: fc.Arbitrary<string>
  /** Throws, or rejects, if the input shows a fault. */
  readonly check: (input: string) => unknown
  /** Number of random inputs in the test suite, where the seed is fixed. */
  readonly runs: number
  /** A failing input is not made smaller. */
  readonly endOnFailure?: boolean
}

/** No input takes so long on a loaded machine: a longer check counts as endless. */
const LONGEST_CHECK_MS = 20_000
const SUITE_SEED = 1
/** More than shrinking a failure takes. */
const GRACE_MS = 300_000

/** Set by scripts/fuzz.ts; without them the suite runs. */
const { FUZZ_SEED, FUZZ_SECONDS } = process.env
const secondsOfScript = FUZZ_SECONDS === undefined ? undefined : Number(FUZZ_SECONDS)

/** Defines the tests of one target: the inputs of its corpus, then random inputs. */
export function fuzz(what: string, target: Target): void {
  const check = async (input: string) => {
    await endsWithin(LONGEST_CHECK_MS, () => target.check(input))
  }
  describe(what, () => {
    test.each(corpusOf(target.corpus))('%s', (file) => check(readFileSync(pathOf(file), 'utf8')))
    test('random inputs', { timeout: (secondsOfScript ?? 0) * 1000 + GRACE_MS }, async () => {
      const property = fc.asyncProperty(target.input, check)
      const details = await fc.check(property, parametersOf(target))
      if (!details.failed) return
      const kept = secondsOfScript === undefined ? '' : keep(target, details.counterexample?.[0] ?? '')
      throw new Error(`${kept}${fc.defaultReportMessage(details)}`, { cause: details.errorInstance })
    })
  })
}

function parametersOf({ runs, endOnFailure = false }: Target): fc.Parameters<[string]> {
  if (secondsOfScript === undefined) return { seed: SUITE_SEED, numRuns: runs, endOnFailure }
  return {
    endOnFailure,
    seed: Number(FUZZ_SEED),
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: secondsOfScript * 1000,
  }
}

/**
 * Runs a task, and ends it if its synchronous part takes too long; test timeouts do not end a loop without `await`.
 * @throws what the task throws, or an error after `ms` milliseconds
 */
function endsWithin<T>(ms: number, task: () => T): T {
  try {
    sandbox.task = task
    return CALL.runInContext(CONTEXT, { timeout: ms })
  } catch (failure) {
    // The error is one of the other context, so it is no instance of Error.
    const code = isNativeError(failure) && 'code' in failure ? failure.code : undefined
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw failure
    throw new Error(`the check did not end within ${ms} ms`)
  }
}

// A context for each call would take longer than most checks.
const sandbox: { task: () => unknown } = { task: () => undefined }
const CONTEXT = createContext(sandbox)
const CALL = new Script('task()')

/** The kept inputs below test/fuzz/corpus/FOLDER, as paths from test/fuzz/corpus. */
function corpusOf(folder: string): readonly string[] {
  return globSync(`${folder}/*`, { cwd: pathOf('') }).toSorted()
}

export function readCorpus(folder: string): readonly string[] {
  return corpusOf(folder).map((file) => readFileSync(pathOf(file), 'utf8'))
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../corpus/${file}`, import.meta.url))
}

/** Writes an input that failed into the corpus. Returns a line that says so. */
function keep({ corpus }: Target, input: string): string {
  const name = `${corpus}/failed-${createHash('sha256').update(input).digest('hex').slice(0, 8)}`
  mkdirSync(pathOf(corpus), { recursive: true })
  writeFileSync(pathOf(name), input)
  return `The input was written to test/fuzz/corpus/${name}: rename the file after what it is.\n`
}

/** The result of a task, or the documented error that it throws. Any other error is a fault. */
export function resultOrError<T, E extends Error>(
  task: () => T,
  documented: abstract new (...parameters: never[]) => E,
): T | E {
  try {
    return task()
  } catch (failure) {
    if (failure instanceof documented) return failure
    throw failure
  }
}
