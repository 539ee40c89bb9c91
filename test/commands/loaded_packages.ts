import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const PACKAGE = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//
const loaded = new Set<string>()

/** Preloaded with --import: prints the packages that the process has loaded, at its end, as one JSON line on stderr. */
registerHooks({
  load(url, context, nextLoad) {
    const name = url.startsWith('file:') ? PACKAGE.exec(fileURLToPath(url))?.[1] : undefined
    if (name !== undefined) loaded.add(name)
    return nextLoad(url, context)
  },
})

process.on('exit', () => {
  process.stderr.write(`\nloaded ${JSON.stringify([...loaded].sort())}\n`)
})
