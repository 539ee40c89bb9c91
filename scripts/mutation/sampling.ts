/** A plugin of Stryker that leaves out the mutants that are not in the sample, as if they could not be compiled. */
import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { type Checker, CheckStatus } from '@stryker-mutator/api/check'
import type { Mutant } from '@stryker-mutator/api/core'
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin'

export const SAMPLING = 'sampling'
/** The number of mutants of a sample is passed to the process of the plugin. */
export const SAMPLE_VARIABLE = 'MUTATION_SAMPLE'
export const NOT_SAMPLED = 'not in the sample'

type Placed = Pick<Mutant, 'id' | 'fileName' | 'location' | 'mutatorName' | 'replacement'>

/** The same mutants every time, as long as their files are the same: those with the least hashes of place and replacement. */
export function sampleOf(mutants: readonly Placed[], size: number): ReadonlySet<string> {
  const ranked = mutants.map((mutant) => ({ id: mutant.id, rank: rankOf(mutant) }))
  return new Set(
    ranked
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, size)
      .map(({ id }) => id),
  )
}

function rankOf({ fileName, location, mutatorName, replacement }: Placed): string {
  const { line, column } = location.start
  const text = [
    relative('.', fileName).replace(/^.*?src\//, 'src/'),
    line,
    column,
    mutatorName,
    replacement,
  ].join(' ')
  return createHash('sha256').update(text).digest('hex')
}

class SamplingChecker implements Checker {
  async init(): Promise<void> {}

  async group(mutants: Mutant[]): Promise<string[][]> {
    return [mutants.map(({ id }) => id)]
  }

  async check(mutants: Mutant[]) {
    const sample = sampleOf(mutants, Number(process.env[SAMPLE_VARIABLE]))
    const entries = mutants.map(({ id }) => [
      id,
      sample.has(id)
        ? ({ status: CheckStatus.Passed } as const)
        : ({ status: CheckStatus.CompileError, reason: NOT_SAMPLED } as const),
    ])
    return Object.fromEntries(entries)
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, SAMPLING, SamplingChecker)]
