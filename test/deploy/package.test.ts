import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readText, repositoryFiles } from '../repository/repository.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { run, startProcess } from '../support/processes.ts'
import { copyCheckout, linkPackages, npm } from './checkout.ts'
import { makeReadOnly, makeRemovable, unprivileged } from './confinement.ts'

/** The package must stay a small download; the README tells its size. */
const MAX_PACKED_BYTES = 400_000
const README_TOLERANCE = 0.1

interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const { version } = JSON.parse(readText('package.json'))
let folder: Folder
let packed: Packed
let tarball: string

/** Packs a copy of the repository, as `npm pack` and `npm publish` do: with a build of its own. */
async function pack(name: string): Promise<{ packed: Packed; tarball: string }> {
  const copy = join(folder.path, name)
  copyCheckout(copy)
  linkPackages(copy)
  const { stdout } = await npm('pack --json --silent', copy)
  // npm prints an array, or since version 12 an object by the names of the packages.
  const [answer] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) as [Packed]
  return { packed: answer, tarball: join(copy, basename(answer.filename)) }
}

beforeAll(async () => {
  folder = temporaryFolder()
  chmodSync(folder.path, 0o755)
  ;({ packed, tarball } = await pack('first'))
}, 120_000)

afterAll(() => folder[Symbol.dispose]())

describe('the package', () => {
  test('holds the compiled program, its dashboards and its papers, and nothing else', () => {
    const compiled = repositoryFiles()
      .filter((path) => path.startsWith('src/'))
      .map((path) => path.replace(/^src\/(.*)\.ts$/, 'dist/$1.js'))
    const papers = ['LICENSE', 'README.md', 'package.json'].filter((path) => repositoryFiles().includes(path))
    const dashboards = repositoryFiles().filter((path) => /^grafana\/dashboards\/.*\.json$/.test(path))
    expect(packed.files.map(({ path }) => path).sort()).toEqual(
      [...compiled, ...dashboards, ...papers].sort(),
    )
  })

  test('is small', () => {
    expect(packed.size).toBeLessThan(MAX_PACKED_BYTES)
    const told = Number(/The package is some (\d+) kB/.exec(readText('README.md'))?.[1]) * 1000
    expect(Math.abs(packed.size - told) / told).toBeLessThan(README_TOLERANCE)
  })

  test('is the same to the byte when built again', async () => {
    const again = await pack('second')
    expect(digest(again.tarball)).toBe(digest(tarball))
  }, 120_000)
})

describe('installed from its tarball into an empty folder, without development dependencies', () => {
  let home: string
  let environment: Readonly<Record<string, string>>
  let binary: string

  beforeAll(async () => {
    home = join(folder.path, 'home')
    mkdirSync(home)
    await npm(
      `install --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline --prefix ${home} ${tarball}`,
      home,
    )
    // The first line of the binary asks for the node on PATH; the one of the test may lie where nobody else may look.
    const node = join(home, 'node', 'node')
    mkdirSync(dirname(node))
    cpSync(process.execPath, node)
    environment = { PATH: `${dirname(node)}:/usr/bin:/bin` }
    binary = join(home, 'node_modules/.bin/sds-exporter')
    makeReadOnly(home)
  }, 240_000)

  afterAll(() => makeRemovable(home))

  test('brings neither a compiler nor a test runner', () => {
    const { packages } = JSON.parse(readFileSync(join(home, 'node_modules/.package-lock.json'), 'utf8'))
    const { devDependencies } = JSON.parse(readText('package.json'))
    expect(packages).toHaveProperty(['node_modules/sds-exporter'])
    const names = Object.keys(devDependencies).map((name) => `node_modules/${name}`)
    expect(names.filter((name) => name in packages)).toEqual([])
  })

  test('tells its version to an unprivileged user', async () => {
    const { command, args, options } = unprivileged([binary, '--version'], environment)
    expect(await run(command, args, options)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('brings the dashboards', async () => {
    const { command, args, options } = unprivileged(
      [binary, 'dashboards', '--out=/nowhere', '--dry-run'],
      environment,
    )
    const { code, stdout } = await run(command, args, options)
    expect(code).toBe(0)
    expect(stdout).toContain('/nowhere/sds-fleet.json')
  })

  test('runs the demo for an unprivileged user who can write nowhere in its tree', async () => {
    const { command, args, options } = unprivileged(
      [
        binary,
        'demo',
        '--web.listen-address=127.0.0.1:0',
        '--admin.listen-address=',
        '--pools=1',
        '--nodes=2',
      ],
      environment,
    )
    await using child = await startProcess(command, args, options)
    const [, url] = await child.waitForOutput(/(http:\S+)\/metrics/)
    await expect.poll(async () => (await get(`${url}/metrics`)).text).toContain('sds_node_info{')
    expect(await child.stop()).toEqual({ code: 0, signal: null })
  })
})

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
