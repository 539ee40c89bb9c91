/**
 * Runs the fuzz tests, or those at the paths given, with random seeds for some minutes (`--minutes`, 10 by default).
 * Each round has a new seed. Stops at the first failure, prints the seed, and leaves the input in test/fuzz/corpus.
 * `--seed` repeats one round.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

const VITEST = 'node_modules/vitest/vitest.mjs'
const FUZZ_TESTS = 'test/fuzz'
/** Time of each target in one round. */
const TARGET_SECONDS = 5
const MAX_SEED = 2 ** 31

const { values, positionals } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
  allowPositionals: true,
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) {
  process.stderr.write('fuzz: --minutes must be a number above zero\n')
  process.exit(2)
}
const paths = positionals.length === 0 ? [FUZZ_TESTS] : positionals
const end = performance.now() + minutes * 60_000
do {
  const seed = values.seed ?? String(randomInt(MAX_SEED))
  process.stdout.write(`fuzz: seed ${seed}\n`)
  if (!passes(seed)) {
    process.stderr.write(`fuzz: failed; repeat with: npm run fuzz -- --seed=${seed} ${paths.join(' ')}\n`)
    process.exit(1)
  }
} while (values.seed === undefined && performance.now() < end)

function passes(seed: string): boolean {
  const { status } = spawnSync(process.execPath, [VITEST, 'run', '--reporter=dot', ...paths], {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_SEED: seed, FUZZ_SECONDS: String(TARGET_SECONDS) },
  })
  return status === 0
}
