import { spawnSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { waitFor } from '../support/wait.ts'
import { pollEverySecond } from './exporter_setup.ts'
import { serve } from './serve.ts'

test('a token file that is replaced by a FIFO: polls continue with the token in memory', async () => {
  await using emulator = await startEmulator({ pools: 1 })
  using folder = temporaryFolder()
  folder.write('token', 'emulator-monitor')
  const system = `{name: a, base_url: "${emulator.url}", auth: {token_file: token}}`
  const file = folder.write('sds.yml', `systems: [${system}]${pollEverySecond()}`)
  await using served = await serve(file)
  const isUp = async () => /^sds_pool_up\{.*\} 1$/m.test((await get(`${served.url}/metrics`)).text)
  await waitFor(isUp, { what: 'the first poll' })

  spawnSync('mkfifo', [`${folder.path}/pipe`])
  renameSync(`${folder.path}/pipe`, `${folder.path}/token`)
  const before = emulator.log.count('nodes')
  await waitFor(() => emulator.log.count('nodes') > before + 3, { what: 'further polls' })
  expect(await isUp()).toBe(true)
  expect(served.child.stderr()).not.toContain('poll failed')
})
