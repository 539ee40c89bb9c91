/**
 * Runs the worked examples of the documentation, and writes their output into the blocks of its pages. With `--check` it
 * writes nothing, names the blocks that differ, and exits with 1 if there are any.
 *
 * The commands run with emulated systems on free ports of this machine, and with a clock that stands still. The pages
 * have the usual ports instead; `examples/normalise.ts` lists what else is replaced.
 *
 * With `--picture` it writes the picture of the status page instead, which is not compared: fonts differ.
 *
 *   npm run examples [-- --check | --picture] [NAME…]
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import './examples/fixed_clock.ts'
import { writePicture } from './examples/picture.ts'
import { EXAMPLES } from './examples/table.ts'
import { changedPages, writePages } from './examples/write.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false }, picture: { type: 'boolean', default: false } },
  allowPositionals: true,
})

if (values.picture) process.stdout.write(`wrote ${await writePicture(root)}\n`)
else await updateBlocks()

async function updateBlocks(): Promise<void> {
  const unknown = positionals.filter((name) => !EXAMPLES.some((example) => example.name === name))
  if (unknown.length > 0) throw new Error(`no example has the name ${unknown.join(', ')}`)
  const chosen = EXAMPLES.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const changed = await changedPages(chosen, root)
  const names = changed.flatMap(({ path, names }) => names.map((name) => `${path}: ${name}`))
  if (!values.check) {
    writePages(changed, root)
    const done = names.length === 0 ? 'all examples are up to date' : `wrote ${names.join(', ')}`
    process.stdout.write(`${done}\n`)
  } else if (names.length > 0) {
    process.stderr.write(`${names.join('\n')}\nUpdate these examples with: npm run examples\n`)
    process.exitCode = 1
  }
}
