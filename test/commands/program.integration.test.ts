import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { runCommand } from './run_command.ts'

const program = (...args: string[]) => runCommand(args)

type Done = Awaited<ReturnType<typeof program>>

/** Runs the program with plain Node.js, which rejects syntax that the test runner accepts. */
function started(...args: string[]) {
  return run(process.execPath, ['src/main.ts', ...args])
}

describe('the program', () => {
  const NO_FILE = 'no configuration file: set --config.file or SDS_CONFIG_FILE, or create sds-exporter.yml'

  test.concurrent('prints its version', async () => {
    const { code, stdout } = await started('--version')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  test.concurrent('lists its commands', async () => {
    const { code, stdout } = await started('--help')
    expect(code).toBe(0)
    const commands =
      'serve demo check doctor health nodes providers backfill dashboards capture emulate completion help version'
    for (const command of commands.split(' ')) expect(stdout).toContain(`  ${command} `)
  })

  test.concurrent('prints the version with details of the build', async () => {
    const { code, stdout } = await program('version')
    expect(code).toBe(0)
    const node = process.versions.node
    expect(stdout).toMatch(/^sds-exporter \d+\.\d+\.\d+\n {2}revision +([0-9a-f]{40}|unknown)\n/)
    expect(stdout).toContain(`\n  node       ${node}\n`)
    const json = JSON.parse((await program('version', '--json')).stdout)
    expect(json).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/), node })
    expect(Object.keys(json)).toEqual(['version', 'revision', 'node', 'openssl', 'platform'])
  })

  test.concurrent.each([
    ['help', '--help'],
    ['-h', '--help'],
    ['help nodes', 'nodes --help'],
    ['nodes -h', 'nodes --help'],
  ])('%s prints the same as %s', async (args, same) => {
    const runs = [args, same].map((words) => program(...words.split(' ')))
    const [{ code, stdout, stderr }, other] = (await Promise.all(runs)) as [Done, Done]
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: other.stdout, stderr: '' })
    expect(stdout).toContain('Usage: sds-exporter')
  })

  test.concurrent.each([
    'serve',
    'demo --help-all',
    'check',
    'doctor',
    'nodes',
    'providers delete',
    'backfill',
    'dashboards',
    'rules',
    'capture',
    'emulate --help-all',
    'completion',
  ])('the help of %s fits 80 columns, apart from commands to copy and single words', async (words) => {
    const { code, stdout } = await program(...words.split(' '), '--help')
    expect(code).toBe(0)
    const isWide = (line: string) =>
      line.length > 80 && !/^ +((bash +|fish +)?sds-exporter .*|\S+)$/.test(line)
    expect(stdout.split('\n').filter(isWide)).toEqual([])
  })

  test.concurrent.each([
    ['nodse', "unknown command 'nodse'\n(Did you mean nodes?)\n"],
    ['nodes --jsn', "unknown option '--jsn'\n(Did you mean --json?)\n"],
    ['serve --config.fle a.yml', "unknown option '--config.fle'\n(Did you mean --config.file?)\n"],
    ['nodes --tea', "unknown option '--tea'\nRun it with"],
    ['serve --web.enable-lifecycle=false', "unknown option '--web.enable-lifecycle=false'"],
    ['providers delete --yes=corp', "unknown option '--yes=corp'"],
    ['nodes', NO_FILE],
    ['providers list', NO_FILE],
    ['check', NO_FILE],
    ['check a.yml --config.file=b.yml', "cannot be used with the argument 'file'"],
    ['emulate --fault=sttus:503@nodes', 'Did you mean status?'],
  ])('%s is a usage error that names the mistake', async (args, words) => {
    const { code, stdout, stderr } = await program(...args.split(' '))
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(words) })
  })

  test.concurrent.each([
    ['an unknown shell', ['completion', 'tcsh']],
    ['a missing flag', ['serve']],
    ['an unknown scenario', ['demo', '--scenario=tea']],
    ['a bad count', ['emulate', '--pools=many']],
  ])('exits with 2 on %s', async (_, args) => {
    const { code, stdout, stderr } = await program(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/error: /)
    expect(stderr).toContain('--help')
  })
})

describe('stdout', () => {
  const FULL = 'exec "$0" "$@" >/dev/full'
  /** A limit of the size of files: a write takes what is left, and the next one fails. */
  const LIMITED = 'ulimit -f 1; exec "$0" "$@" >file'
  const completion = [process.execPath, 'src/main.ts', 'completion', 'bash']

  test.concurrent.each([
    ['that takes nothing', FULL, ['completion', 'bash'], 'no space left on device (ENOSPC)'],
    ['that takes nothing', FULL, ['--version'], 'no space left on device (ENOSPC)'],
    ['that takes a part', LIMITED, ['completion', 'zsh'], 'file too large (EFBIG)'],
  ])('on a disk %s is a failure: %s %j', async (_, script, args, words) => {
    using folder = temporaryFolder()
    const main = join(process.cwd(), 'src/main.ts')
    const { code, stderr } = await run('sh', ['-c', script, process.execPath, main, ...args], {
      cwd: folder.path,
    })
    expect({ code, stderr }).toEqual({ code: 1, stderr: `sds-exporter: stdout: ${words}\n` })
  })

  test.concurrent.each([
    ['is closed', '"$@" >&-; echo $? >&2'],
    ['is a pipe without a reader', 'mkfifo "$0"; : <"$0" & "$@" >"$0"; echo $? >&2'],
  ])('that %s is no failure', async (_, script) => {
    using folder = temporaryFolder()
    const { stderr } = await run('sh', ['-c', script, `${folder.path}/pipe`, ...completion])
    expect(stderr).toBe('0\n')
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

test.concurrent('the configuration file is that of the flag, the variable, or a usual place', async () => {
  using folder = temporaryFolder()
  const yaml = (name: string) =>
    `systems:\n  - {name: ${name}, base_url: "https://a:4443", auth: {token: "1"}}\n`
  const named = folder.write('named.yml', yaml('named'))
  const flagged = folder.write('flagged.yml', yaml('flagged'))
  folder.write('sds-exporter.yml', yaml('usual'))
  const cwd = folder.path
  const systemOf = async (env: Record<string, string>, ...flags: string[]) =>
    /\(1 system: (\w+)\)/.exec((await runCommand(['check', ...flags], { cwd, env })).stdout)?.[1]
  expect(await systemOf({ SDS_CONFIG_FILE: named }, `--config.file=${flagged}`)).toBe('flagged')
  expect(await systemOf({ SDS_CONFIG_FILE: named })).toBe('named')
  expect(await systemOf({ SDS_CONFIG_FILE: '' })).toBe('usual')
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
  const { code, stderr } = await started(command, `${flag}=${address}`, ...config)
  const env = { npm_lifecycle_event: 'start' }
  const ofNpm = command === 'demo' ? await runCommand(['demo', `${flag}=${address}`], { env }) : undefined
  other.close()
  expect(code).toBe(1)
  expect(stderr).toContain(`cannot listen on '${address}' (EADDRINUSE): the port is in use`)
  expect(stderr.replaceAll('\n', ' ')).toContain(`choose another port (${flag})`)
  if (ofNpm !== undefined) expect(ofNpm.stderr).toContain('npm start -- FLAG')
})
