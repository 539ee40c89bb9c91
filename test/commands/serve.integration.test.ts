import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { serve } from '../faults/serve.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { run, startProcess } from '../support/processes.ts'
import { waitFor } from '../support/wait.ts'
import { runCommand } from './run_command.ts'

const POLL = 'poll: {schedule: "* * * * * *", max_random_delay: 0s}\n'
const NOWHERE = `systems: [{name: a, base_url: "https://127.0.0.1:1", auth: {token: abc}}]\n`
const NO_ADMIN = '--admin.listen-address='

test('--web.listen-address may be repeated: the metrics are served at every address', async () => {
  using folder = temporaryFolder()
  const file = folder.write('sds.yml', NOWHERE)
  await using served = await serve(file, { flags: [NO_ADMIN, '--web.listen-address=127.0.0.1:0'] })
  await served.child.waitForOutput(/(msg=listening url=\S+\s[\s\S]*){2}/)
  const urls = [...served.child.stderr().matchAll(/msg=listening url=(\S+)/g)].map(([, url]) => url)
  expect(new Set(urls).size).toBe(2)
  for (const url of urls) expect((await get(`${url}/metrics`)).status).toBe(200)
})

test('npm ends the exporter with its shell; the first line of the log has the version', async () => {
  using folder = temporaryFolder()
  const file = folder.write('sds.yml', NOWHERE)
  // A shell that stays above the program, as dash does.
  const shell = ['-c', '"$@"; true', 'sh', process.execPath, 'src/main.ts']
  const args = [...shell, 'serve', file, '--web.listen-address=127.0.0.1:0', NO_ADMIN]
  await using child = await startProcess('sh', args, { env: { npm_lifecycle_event: 'npx' } })
  await child.waitForOutput(/msg=listening/)
  expect(child.stderr()).toMatch(/^ts=\S+ level=info msg="starting sds-exporter" version=\d\S+ node=\d\S+\n/)
  await child.stop()
  expect(child.stderr()).toMatch(/msg=stopped\n$/)
})

describe('--web.telemetry-path', () => {
  test('is the path of the metrics, to which the page links', async () => {
    using folder = temporaryFolder()
    const flags = [NO_ADMIN, '--web.telemetry-path=/storage/metrics']
    await using served = await serve(folder.write('sds.yml', NOWHERE), { flags })
    expect((await get(`${served.url}/storage/metrics`)).text).toContain('sds_exporter_build_info{')
    expect((await get(`${served.url}/metrics`)).status).toBe(404)
    expect((await get(`${served.url}/`)).text).toContain('href="/storage/metrics"')
  })

  test('may be /, in place of the page', async () => {
    using folder = temporaryFolder()
    const flags = [NO_ADMIN, '--web.telemetry-path=/']
    await using served = await serve(folder.write('sds.yml', NOWHERE), { flags })
    expect((await get(`${served.url}/`)).text).toContain('sds_exporter_build_info{')
  })

  test.each(['metrics', '/-/healthy', '/api/v1/status', '/probe', '/a/../b', '/:name', '/a b'])(
    'cannot be %s',
    async (path) => {
      const args = ['serve', '--config.file=x', `--web.telemetry-path=${path}`]
      const { code, stderr } = await runCommand(args)
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--web.telemetry-path') })
    },
  )
})

describe('--config.auto-reload', () => {
  const FLAGS = [NO_ADMIN, '--config.auto-reload', '--config.auto-reload-interval=100ms']
  const system = (name: string, url: string, auth: string) =>
    `systems: [{name: ${name}, base_url: "${url}", auth: ${auth}}]\n${POLL}`

  /** Replaces the files of a mounted volume as Kubernetes does: `..data` is a link to another folder. */
  function mount(folder: Folder, version: string, files: Readonly<Record<string, string>>): void {
    mkdirSync(`${folder.path}/${version}`)
    for (const [name, text] of Object.entries(files)) writeFileSync(`${folder.path}/${version}/${name}`, text)
    symlinkSync(version, `${folder.path}/..data_tmp`)
    renameSync(`${folder.path}/..data_tmp`, `${folder.path}/..data`)
  }

  test('loads changed mounts, and a secret that comes later than the configuration', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    using folder = temporaryFolder()
    mount(folder, 'v1', { 'sds.yml': system('first', emulator.url, '{token: emulator-monitor}') })
    symlinkSync('..data/sds.yml', `${folder.path}/sds.yml`)
    await using served = await serve(`${folder.path}/sds.yml`, { flags: FLAGS })
    const shows = async (text: string) => (await get(`${served.url}/metrics`)).text.includes(text)
    await waitFor(() => shows('sds_system_up{system="first"} 1'), { what: 'the first system' })

    // The path of the secret is relative to the folder of the link.
    const next = system('second', emulator.url, '{username: monitor, password_file: password}')
    mount(folder, 'v2', { 'sds.yml': next })
    await served.child.waitForOutput(/configuration rejected.*password cannot be read: no such file/)
    expect(await shows('sds_system_up{system="first"} 1')).toBe(true)

    // A file that is written in place is empty for a moment.
    renameSync(folder.write('new', 'emulator'), `${folder.path}/password`)
    await waitFor(() => shows('sds_system_up{system="second"} 1'), { what: 'the second system' })
    expect(await shows('system="first"')).toBe(false)
    // A file that does not change is not loaded, and not rejected, again.
    expect(served.child.stderr().match(/configuration rejected/g)).toHaveLength(1)
    expect(await served.child.stop()).toEqual({ code: 0, signal: null })
  })

  test('is off by default', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    using folder = temporaryFolder()
    const file = folder.write('sds.yml', system('first', emulator.url, '{token: emulator-monitor}'))
    await using served = await serve(file, { flags: [NO_ADMIN, '--config.auto-reload-interval=1ms'] })
    await waitFor(() => emulator.log.count('nodes') > 0, { what: 'the first poll' })
    folder.write('sds.yml', system('second', emulator.url, '{token: emulator-monitor}'))
    const before = emulator.log.count('nodes')
    await waitFor(() => emulator.log.count('nodes') > before + 1, { what: 'two polls' })
    expect((await get(`${served.url}/metrics`)).text).not.toContain('"second"')
    served.child.kill('SIGHUP')
    await served.child.waitForOutput(/configuration reloaded/)
  })
})

describe('as a service of systemd', () => {
  /** The output of a command line whose stderr is a file that `JOURNAL_STREAM` names, as the journal does. */
  const JOURNALLED =
    'touch "$0" && export JOURNAL_STREAM=$(stat --format=%d:%i "$0") && "$@" 2>"$0"; code=$?; cat "$0"; exit $code'

  test.each([
    ['an invalid configuration', 78, '--config.file'],
    ['a wrong flag', 2, '--config.fil'],
  ])(
    '%s ends it with exit code %i, with the priority of an error on each line',
    async (_, exitCode, flag) => {
      using folder = temporaryFolder()
      const file = folder.write('sds.yml', 'systems: []\npoll: 1\n')
      const command = [process.execPath, 'src/main.ts', 'serve', `${flag}=${file}`]
      const { code, stdout } = await run('sh', ['-c', JOURNALLED, `${folder.path}/stderr`, ...command])
      expect(code).toBe(exitCode)
      const lines = stdout
        .replace(/^<6>.* msg="starting sds-exporter" .*\n/, '')
        .trimEnd()
        .split('\n')
      expect(lines.length).toBeGreaterThan(1)
      expect(lines.filter((line) => !line.startsWith('<3>'))).toEqual([])
    },
  )

  test('it is told when the exporter listens', async () => {
    using folder = temporaryFolder()
    const file = folder.write('sds.yml', NOWHERE)
    const told = `${folder.path}/told`
    const script = `#!/bin/sh\necho "$NOTIFY_SOCKET $*" > ${told}\n`
    chmodSync(folder.write('systemd-notify', script), 0o755)
    const env = { NOTIFY_SOCKET: '/run/x', PATH: `${folder.path}:${process.env['PATH']}` }
    const flags = [NO_ADMIN, '--web.listen-address=127.0.0.1:0']
    await using served = await serve(file, { flags, env })
    await waitFor(() => existsSync(told) && readFileSync(told, 'utf8') === '/run/x --ready\n', {
      what: 'the message of systemd-notify',
    })
    expect(served.child.stderr()).toContain('msg=listening')
  })
})
