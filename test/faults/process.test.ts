import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { oneSample } from '../metrics/exposition_text.ts'
import { openSocket } from '../server/listener/listener_setup.ts'
import { temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { startProcess } from '../support/processes.ts'
import { neverSchedule, WITHOUT_RESOURCES } from '../support/schedules.ts'
import { waitFor } from '../support/wait.ts'
import { pollEverySecond } from './exporter_setup.ts'
import { serve } from './serve.ts'

const systemAt = (url: string, name = 'a') =>
  `{name: ${name}, base_url: "${url}", auth: {username: monitor, password: emulator}}`
const isUp = async (url: string) => /^sds_pool_up\{.*\} 1$/m.test((await get(`${url}/metrics`)).text)
const warnings = (stderr: string) =>
  stderr.split('\n').filter((line) => line.includes('level=warn') || line.includes('level=error'))

describe('a signal to stop', () => {
  test.each<[string, NodeJS.Signals, readonly string[]]>([
    // The URL is logged before the first poll.
    ['during the start', 'SIGTERM', []],
    ['between polls', 'SIGINT', []],
    ['during a poll, with a logout that hangs', 'SIGTERM', ['half-open@nodes', 'half-open@logout']],
    ['during a login', 'SIGTERM', ['slow-headers:0.5@login']],
    ['during a pause between two attempts', 'SIGTERM', ['status:503,retry-after=20@nodes']],
  ])('%s (%s) ends the process within its time limit, and logs out', async (when, signal, faults) => {
    await using emulator = await startEmulator()
    emulator.setFaults(faults)
    using folder = temporaryFolder()
    const file = folder.write('sds.yml', `systems: [${systemAt(emulator.url)}]${pollEverySecond('30s')}`)
    // Without a warning about a password that others can read.
    chmodSync(file, 0o600)
    await using served = await serve(file)
    const busy = faults[0]?.replace(/^.*@/, '') as 'nodes' | undefined
    const isBusy = () => (busy === undefined ? isUp(served.url) : emulator.log.count(busy) > 0)
    if (when !== 'during the start') await waitFor(isBusy, { what: 'the request' })
    served.child.kill(signal)
    served.child.kill(signal)
    expect(await served.child.exited).toEqual({ code: 0, signal: null })
    // A stop beyond the time limit of five seconds is aborted with a warning.
    expect(served.child.stderr()).toMatch(/msg=stopped\n$/)
    expect(warnings(served.child.stderr())).toEqual([])
    emulator.setFaults([])
    await waitFor(() => emulator.liveSessions('monitor') === 0, { what: 'the logout of the session' })
  })
})

test('SIGUSR1 is ignored, and does not open the inspector of Node.js', async () => {
  await using emulator = await startEmulator({ pools: 1 })
  using folder = temporaryFolder()
  const file = folder.write('sds.yml', `systems: [${systemAt(emulator.url)}]${pollEverySecond()}`)
  await using served = await serve(file)
  served.child.kill('SIGUSR1')
  // The signal is handled before later requests.
  await waitFor(() => isUp(served.url), { what: 'the first poll' })
  expect(await served.child.stop()).toEqual({ code: 0, signal: null })
  expect(served.child.stderr()).not.toContain('Debugger')
})

describe('SIGHUP', () => {
  test.each(['demo', 'emulate'])('stops %s, which has no configuration file', async (command) => {
    const flag = command === 'demo' ? '--web.listen-address' : '--listen-address'
    const flags = [`${flag}=127.0.0.1:0`, ...(command === 'demo' ? ['--admin.listen-address='] : [])]
    await using child = await startProcess(process.execPath, ['src/main.ts', command, ...flags])
    await child.waitForOutput(/Press Ctrl|Tokens/)
    child.kill('SIGHUP')
    expect(await child.exited).toEqual({ code: 0, signal: null })
  })
})

test('a hundred SIGHUP cause fewer reloads, one at a time, and the last file is loaded', async () => {
  await using emulator = await startEmulator({ pools: 1 })
  using folder = temporaryFolder()
  const file = folder.write('sds.yml', `systems: [${systemAt(emulator.url)}]${pollEverySecond()}`)
  await using served = await serve(file)
  await waitFor(() => isUp(served.url), { what: 'the first poll' })
  for (let signal = 0; signal < 99; signal += 1) served.child.kill('SIGHUP')
  writeFileSync(
    file,
    `systems: [${systemAt(emulator.url)}, ${systemAt(emulator.url, 'b')}]${pollEverySecond()}`,
  )
  served.child.kill('SIGHUP')
  await waitFor(async () => (await get(`${served.url}/metrics`)).text.includes('system="b"'), {
    what: 'the new system',
  })
  // The page has the system before its login.
  await waitFor(() => emulator.log.logins().granted === 2, { what: 'the login of the new system' })
  const reloads = served.child.stderr().split('configuration reloaded').length - 1
  expect(reloads).toBeGreaterThan(0)
  expect(reloads).toBeLessThan(100)
  expect(emulator.log.logins()).toEqual({ granted: 2, refused: 0 })
  await served.child.stop()
  expect(emulator.liveSessions('monitor')).toBe(0)
})

test('a process without file descriptors stays alive, logs the reason, and polls again when descriptors are free', async () => {
  await using emulator = await startEmulator({ pools: 1 })
  // Each poll opens a new connection, and so needs a descriptor.
  emulator.setFaults(['truncate:close@nodes'])
  using folder = temporaryFolder()
  // Other requests would leave a connection for the next poll, or take its descriptor.
  const others = `discovery: {schedule: "${neverSchedule()}"}\nperformance: {source: feed}\n${WITHOUT_RESOURCES}`
  const yaml = `systems: [${systemAt(emulator.url)}]${pollEverySecond('2s')}${others}`
  const file = folder.write('sds.yml', yaml)
  const limit = 60
  await using served = await serve(file, { limit })
  const port = Number(new URL(served.url).port)
  await waitFor(() => emulator.log.count('nodes') > 0, { what: 'the first poll' })
  const open = () => readdirSync(`/proc/${served.child.pid}/fd`).length

  const sockets: Socket[] = []
  while (sockets.length < limit) sockets.push(await openSocket(port))
  for (const socket of sockets) socket.on('error', () => undefined)
  await waitFor(() => open() >= limit - 1, { what: 'the descriptors to be used up' })
  const refused = /msg="poll failed".* reason=local error=".*too many open files/
  const isRefused = async () => {
    // A poll that was under way when they were counted has freed its own.
    sockets.push((await openSocket(port)).on('error', () => undefined))
    return refused.test(served.child.stderr())
  }
  await waitFor(isRefused, { what: 'a poll without a descriptor' })

  for (const socket of sockets) socket.destroy()
  emulator.setFaults([])
  await waitFor(() => isUp(served.url), { what: 'a successful poll' })
  const { text, status } = await get(`${served.url}/metrics`)
  expect(status).toBe(200)
  expect(oneSample(text, 'sds_pool_polls_total', { result: 'local' }).value).toBeGreaterThan(0)
  expect(served.child.stderr().match(/msg="poll failed".* reason=local/g)).toHaveLength(1)
  expect(await served.child.stop()).toEqual({ code: 0, signal: null })
})

test.each([
  ['a full disk', 'exec "$@" 2>/dev/full'],
  ['a closed descriptor', 'exec "$@" 2>&-'],
  ['a pipe without a reader', 'mkfifo "$0"; : <"$0" & exec "$@" 2>"$0"'],
])('a log that is written to %s does not end the process', async (_, script) => {
  await using emulator = await startEmulator({ pools: 1 })
  using folder = temporaryFolder()
  const file = folder.write('sds.yml', `systems: [${systemAt(emulator.url)}]${pollEverySecond()}`)
  const flags = [`--config.file=${file}`, '--web.listen-address=127.0.0.1:0', '--admin.listen-address=']
  const command = [process.execPath, 'src/main.ts', 'serve', ...flags]
  await using child = await startProcess('sh', ['-c', script, `${folder.path}/pipe`, ...command])
  await waitFor(() => emulator.log.count('nodes') > 2, { what: 'polls' })
  // The reload writes a line.
  child.kill('SIGHUP')
  const before = emulator.log.count('nodes')
  await waitFor(() => emulator.log.count('nodes') > before + 1, { what: 'polls after the reload' })
  expect(await child.stop()).toEqual({ code: 0, signal: null })
})
