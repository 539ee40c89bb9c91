import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'

/** What only the emulator uses. */
const OF_EMULATOR = '@peculiar/x509'

/** Runs the program. @returns the names of the packages that it loaded */
async function loadedBy(...args: string[]): Promise<string[]> {
  const hooks = new URL('loaded_packages.ts', import.meta.url).href
  const { stderr } = await run(process.execPath, ['--import', hooks, 'src/main.ts', ...args])
  return JSON.parse(/^loaded (.*)$/m.exec(stderr)?.[1] ?? 'null')
}

test.concurrent('--version loads the parser of command lines only', async () => {
  expect(await loadedBy('--version')).toEqual(['commander'])
})

test.concurrent('serve does not load what only the emulator needs', async () => {
  using folder = temporaryFolder()
  const file = folder.write('bad.yml', 'systems: []\n')
  const loaded = await loadedBy('serve', `--config.file=${file}`, '--web.listen-address=127.0.0.1:0')
  expect(loaded).toContain('undici')
  expect(loaded).not.toContain(OF_EMULATOR)
})
