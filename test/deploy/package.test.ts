import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readText, repositoryFiles } from '../repository/repository.ts'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { get } from '../support/http.ts'
import { run, startProcess } from '../support/processes.ts'
import { copyCheckout, linkPackages, npm } from './checkout.ts'
import { makeReadOnly, makeRemovable, unprivileged } from './confinement.ts'

/** Limit for the size of the package, with documentation, rules and dashboards. */
const MAX_PACKED_BYTES = 720_000
/** For a build and npm on a loaded machine. */
const BUILD_TIMEOUT_MS = 300_000

interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

/** Where the source would be published. */
const REPOSITORY = 'https://github.com/acme/sds-exporter'
const { version } = JSON.parse(readText('package.json'))
let folder: Folder
let packed: Packed
let tarball: string

/** Builds and packs a copy of the repository. */
async function pack(name: string): Promise<{ packed: Packed; tarball: string }> {
  const copy = join(folder.path, name)
  copyCheckout(copy)
  linkPackages(copy)
  const { stdout } = await npm(`run --silent package -- --json --repository=${REPOSITORY}`, copy)
  // npm prints an array, or since version 12 an object by the names of the packages.
  const [answer] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) as [Packed]
  return { packed: answer, tarball: join(copy, 'release', basename(answer.filename)) }
}

beforeAll(async () => {
  folder = temporaryFolder()
  chmodSync(folder.path, 0o755)
  ;({ packed, tarball } = await pack('first'))
}, BUILD_TIMEOUT_MS)

afterAll(() => folder[Symbol.dispose]())

describe('the package', () => {
  test('contains only the compiled program, its revision, dashboards, rules, units, documentation and manifests', () => {
    const compiled = repositoryFiles()
      .filter((path) => path.startsWith('src/') && !path.endsWith('.d.ts'))
      .map((path) => path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js'))
    const shipped = repositoryFiles().filter(
      (path) =>
        /^(grafana\/(dashboards|provisioning)|deploy\/(prometheus|systemd))\//.test(path) ||
        (/^docs\/.*\.(md|json|1)$/.test(path) && !/^docs\/(development\.md|internals\/)/.test(path)),
    )
    const single = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json']
    expect(packed.files.map(({ path }) => path).sort()).toEqual(
      [...compiled, ...shipped, ...single, 'dist/revision.txt', 'npm-shrinkwrap.json'].sort(),
    )
  })

  test('is small', () => {
    expect(packed.size).toBeLessThan(MAX_PACKED_BYTES)
  })

  test(
    'is byte for byte the same when built again',
    async () => {
      const again = await pack('second')
      expect(digest(again.tarball)).toBe(digest(tarball))
    },
    BUILD_TIMEOUT_MS,
  )

  test('is not made by npm pack in the repository, which has no compiled program', async () => {
    await expect(npm('pack --dry-run', '.')).rejects.toThrow('npm run package')
  })
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
    // The binary runs `node` from PATH; that of the test may be in a folder that other users cannot read.
    const node = join(home, 'node', 'node')
    mkdirSync(dirname(node))
    cpSync(process.execPath, node)
    environment = { PATH: `${dirname(node)}:/usr/bin:/bin` }
    binary = join(home, 'node_modules/.bin/sds-exporter')
    makeReadOnly(home)
  }, 240_000)

  afterAll(() => makeRemovable(home))

  const installed = (path: string) => readFileSync(join(home, 'node_modules/sds-exporter', path), 'utf8')

  test('has the versions of the lockfile', () => {
    const { packages } = JSON.parse(readFileSync(join(home, 'node_modules/.package-lock.json'), 'utf8'))
    const locked = JSON.parse(readText('package-lock.json')).packages
    const names = Object.keys(JSON.parse(readText('package.json')).dependencies)
    const found = names.map((name) => {
      const own = packages[`node_modules/sds-exporter/node_modules/${name}`]
      return [name, (own ?? packages[`node_modules/${name}`])?.version]
    })
    expect(found).toEqual(names.map((name) => [name, locked[`node_modules/${name}`].version]))
  })

  test('has a manifest without scripts, that names where the source is published', () => {
    const manifest = JSON.parse(installed('package.json'))
    expect(manifest).toMatchObject({
      homepage: `${REPOSITORY}#readme`,
      bugs: { url: `${REPOSITORY}/issues` },
      repository: { type: 'git', url: `git+${REPOSITORY}.git` },
    })
    for (const key of ['private', 'scripts', 'devDependencies']) expect(manifest).not.toHaveProperty(key)
  })

  test('has a README about the package, and pages whose links lead to files or to the source', () => {
    expect(installed('README.md')).toContain('npm install --global sds-exporter')
    const pages = packed.files.map(({ path }) => path).filter((path) => path.endsWith('.md'))
    const broken = pages.flatMap((page) =>
      [...installed(page).matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
        .map(([, target = '']) => join(dirname(page), target))
        .filter((target) => !existsSync(join(home, 'node_modules/sds-exporter', target)))
        .map((target) => `${page}: ${target}`),
    )
    expect(broken).toEqual([])
    expect(installed('docs/operations.md')).toContain(`${REPOSITORY}/blob/v${version}/grafana/mixin`)
  })

  test('has a manual page, which npm links with --global', async () => {
    const { name, bin, man } = JSON.parse(installed('package.json'))
    // Without the dependencies, whose second installation would take long.
    const small = join(folder.path, 'small')
    for (const path of [...Object.values<string>(bin), man].flat())
      cpSync(join(home, 'node_modules/sds-exporter', path), join(small, path))
    writeFileSync(join(small, 'package.json'), JSON.stringify({ name, version, bin, man }))
    const prefix = join(folder.path, 'global')
    mkdirSync(join(prefix, 'lib'), { recursive: true })
    await npm('pack', small)
    const archive = join(small, `${name}-${version}.tgz`)
    await npm(
      `install --global --offline --ignore-scripts --no-audit --no-fund --prefix ${prefix} ${archive}`,
      small,
    )
    expect(readFileSync(join(prefix, 'share/man/man1/sds-exporter.1'), 'utf8')).toContain('.TH')
  })

  test('prints its version as an unprivileged user', async () => {
    const { command, args, options } = unprivileged([binary, '--version'], environment)
    expect(await run(command, args, options)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('runs the demo as an unprivileged user without write permission', async () => {
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
