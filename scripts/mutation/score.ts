import { relative } from 'node:path'
import type { Mutant } from './mutate.ts'

/** Numbers of mutants. Those that cannot be loaded are not counted. */
export interface Score {
  /** A test failed. */
  readonly killed: number
  /** The tests did not end in time. */
  readonly timedOut: number
  /** All tests that run the code passed. */
  readonly survived: number
  /** No test runs the code. */
  readonly notCovered: number
}

/** Mutants that were found, of all; 1 for a folder without mutants. */
export function scoreRatio({ killed, timedOut, survived, notCovered }: Score): number {
  const found = killed + timedOut
  const all = found + survived + notCovered
  return all === 0 ? 1 : found / all
}

export function scoreOf(mutants: readonly Pick<Mutant, 'status'>[]): Score {
  const count = (status: Mutant['status']) => mutants.filter((mutant) => mutant.status === status).length
  return {
    killed: count('Killed'),
    timedOut: count('Timeout'),
    survived: count('Survived'),
    notCovered: count('NoCoverage'),
  }
}

/** The score of a folder, and one line for each mutant that was not found: place, mutator, replacement. */
export function report(folder: string, mutants: readonly Mutant[]): string {
  const missed = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  const percent = (scoreRatio(scoreOf(mutants)) * 100).toFixed(1)
  const heading = `${folder}: ${percent} %, ${missed.length} of ${mutants.length} mutants not found\n`
  return heading + missed.map(lineOf).join('')
}

function lineOf({ fileName, location, mutatorName, replacement, status }: Mutant): string {
  const { line, column } = location.start
  const text = replacement.replaceAll(/\s+/g, ' ').slice(0, 100)
  const note = status === 'NoCoverage' ? ' (not covered)' : ''
  return `  ${relative('.', fileName)}:${line}:${column} ${mutatorName} → ${text}${note}\n`
}
