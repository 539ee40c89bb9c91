import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startProcess } from '../support/processes.ts'
import { startNameServer } from '../support/programs/name_server.ts'
import { waitFor } from '../support/wait.ts'
import { pollEverySecond } from './exporter_setup.ts'

const GOOD = 'good.attack.test'
const HANGING = 20

/** A name server of its own for one process needs a mount namespace. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0

test.skipIf(!canMount)(
  'twenty systems whose names hang delay neither the polls of another system nor the exit',
  async () => {
    await using emulator = await startEmulator({ pools: 1 })
    const names = await startNameServer(GOOD)
    using folder = temporaryFolder()
    // A lookup then takes longer than this test.
    const resolvConf = folder.write('resolv.conf', `${names.resolvConf}options timeout:30 attempts:5\n`)
    const system = (name: string, url: string) =>
      `{name: ${name}, base_url: "${url}", auth: {username: monitor, password: emulator}}`
    const hanging = Array.from({ length: HANGING }, (_, index) =>
      system(`h${index}`, `http://h${index}.attack.test:4443`),
    )
    const good = system('good', emulator.url.replace('127.0.0.1', GOOD))
    const file = folder.write('sds.yml', `systems: [${[...hanging, good].join(', ')}]${pollEverySecond()}`)
    chmodSync(file, 0o600)
    const script = `mount --bind "$0" /etc/resolv.conf; exec "$@"`
    const flags = [`--config.file=${file}`, '--web.listen-address=127.0.0.1:0', '--admin.listen-address=']
    const serve = [process.execPath, 'src/main.ts', 'serve', ...flags]
    await using child = await startProcess('unshare', ['--mount', 'sh', '-c', script, resolvConf, ...serve])
    await waitFor(() => emulator.log.count('nodes') > 3, { what: 'polls' })
    expect(await child.stop()).toEqual({ code: 0, signal: null })
    expect(child.stderr()).toMatch(/msg=stopped\n$/)
    expect(emulator.liveSessions('monitor')).toBe(0)
    await names.stop()
  },
)
