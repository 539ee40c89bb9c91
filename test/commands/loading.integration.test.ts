import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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

test.concurrent('--version loads no package', async () => {
  expect(await loadedBy('--version')).toEqual([])
})

test('health loads no package', async () => {
  const server = createServer((_, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const loaded = await loadedBy('health', `--web.listen-address=:${port}`)
  server.close()
  expect(loaded).toEqual([])
})

test.concurrent('serve does not load what only the emulator needs', async () => {
  using folder = temporaryFolder()
  const file = folder.write('bad.yml', 'systems: []\n')
  const loaded = await loadedBy('serve', `--config.file=${file}`, '--web.listen-address=127.0.0.1:0')
  expect(loaded).toContain('undici')
  expect(loaded).not.toContain(OF_EMULATOR)
})

test.concurrent('check loads nothing of client and servers', async () => {
  using folder = temporaryFolder()
  const file = folder.write('bad.yml', 'systems: []\n')
  const loaded = await loadedBy('check', `--config.file=${file}`)
  expect(loaded).toContain('zod')
  expect(loaded).not.toContain('undici')
  expect(loaded).not.toContain('koa')
})
