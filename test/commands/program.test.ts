import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'

/** Runs the program with plain Node.js, which rejects syntax that the test runner accepts. */
function program(...args: string[]) {
  return run(process.execPath, ['src/main.ts', ...args])
}

describe('the program', () => {
  test.concurrent('prints its version', async () => {
    const { code, stdout } = await program('--version')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  test.concurrent('lists its commands', async () => {
    const { code, stdout } = await program('--help')
    expect(code).toBe(0)
    const commands = [
      'serve',
      'demo',
      'check',
      'doctor',
      'health',
      'nodes',
      'providers',
      'dashboards',
      'emulate',
    ]
    for (const command of commands) expect(stdout).toContain(`  ${command} `)
  })

  test.concurrent.each([
    ['serve', ['--web.max-requests <count>', '(default: 20)']],
    ['serve', ['--config.file', '--web.listen-address', '--web.config.file', '--log.level', '--log.format']],
    ['serve', ['--web.allowed-hosts', '--admin.allowed-hosts']],
    ['demo', ['--scenario', '--profile', '--fault', 'node-down', 'modern', 'expire-tokens']],
    ['check', ['--config.file']],
    ['emulate', ['--listen-address', '--tls', '--pools', '--nodes', '--seed']],
    ['emulate', ['302  redirect GET requests', 'whoami     GET /user/whoami']],
  ])('%s prints help', async (command, words) => {
    const { code, stdout } = await program(command, '--help')
    expect(code).toBe(0)
    for (const word of words) expect(stdout).toContain(word)
  })

  test.concurrent.each([
    ['an unknown command', ['brew']],
    ['an unknown flag', ['demo', '--tea']],
    ['a missing flag', ['serve']],
    ['an unknown scenario', ['demo', '--scenario=tea']],
    ['a bad count', ['emulate', '--pools=many']],
    ['a bad limit', ['demo', '--web.max-requests=-1']],
    ['an unknown fault', ['emulate', '--fault=tea']],
    ['a URL as a host name', ['demo', '--web.allowed-hosts=http://a']],
  ])('exits with 2 on %s', async (_, args) => {
    const { code, stdout, stderr } = await program(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/error: /)
    expect(stderr).toContain('--help')
  })
})

test.concurrent.each([
  ['too many pools', ['emulate', '--pools=500'], 'from 1 to 200, not 500'],
  ['too many nodes', ['demo', '--nodes=20000'], 'from 1 to 10000, not 20000'],
  ['no port for its second one', ['demo', '--emulator.listen-address=127.0.0.1:65535'], 'need two ports'],
  ['a fault of an unknown pool', ['emulate', '--fault=status:503@pool=nope'], 'Pools are: hot'],
])('an emulated system with %s is a usage error', async (_, args, words) => {
  const { code, stdout, stderr } = await program(...args)
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(words) })
})

test.concurrent.each([
  ['serve', '--web.listen-address'],
  ['emulate', '--listen-address'],
  ['demo', '--emulator.listen-address'],
])('%s reports a port in use, with the remedy', async (command, flag) => {
  using folder = temporaryFolder()
  const file = folder.write(
    'good.yml',
    'systems:\n  - {name: a, base_url: "https://127.0.0.1:1", auth: {token: abc}}\n',
  )
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
  const config = command === 'serve' ? [`--config.file=${file}`] : []
  const { code, stderr } = await program(command, `${flag}=${address}`, ...config)
  other.close()
  expect(code).toBe(1)
  expect(stderr).toContain(`cannot listen on '${address}' (EADDRINUSE): the port is in use`)
})

describe('check', () => {
  test.concurrent('reports a valid file', async () => {
    using folder = temporaryFolder()
    const file = folder.write(
      'good.yml',
      'systems:\n  - {name: a, base_url: "https://a", auth: {token: abc}}\n',
    )
    const { code, stdout } = await program('check', `--config.file=${file}`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${file}: valid (1 system: a)\n` })
  })

  test.concurrent('prints every problem and ends with 1', async () => {
    using folder = temporaryFolder()
    const file = folder.write(
      'bad.yml',
      'systems:\n  - {name: "a b", base_url: "https://a", auth: {}}\nx: 1\n',
    )
    const { code, stdout, stderr } = await program('check', `--config.file=${file}`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('3 problems')
    for (const path of ['systems[0].name: ', 'systems[0].auth: ', 'x: '])
      expect(stderr).toContain(`\n  ${path}`)
  })
})

test('serve exits with 1 on an invalid file and prints the reason', async () => {
  using folder = temporaryFolder()
  const file = folder.write('bad.yml', 'systems: []\n')
  const { code, stderr } = await program('serve', `--config.file=${file}`, '--web.listen-address=127.0.0.1:0')
  expect(code).toBe(1)
  expect(stderr).toContain('systems: needs at least one system')
})
