import { createHash } from 'node:crypto'
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import bcrypt from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executableIn, OWN_PLATFORM, RUNTIMES } from '../../../scripts/release/runtime.ts'
import { withoutSymbols } from '../../../scripts/release/symbols.ts'
import { EXIT } from '../../../src/commands/cli/exit.ts'
import { readText } from '../../repository/repository.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { run, startProcess } from '../../support/processes.ts'
import { BUILD_TIMEOUT_MS, type ReleaseFiles, releaseFiles, VERSION } from './files.ts'

const MAX_ARCHIVE_BYTES = 45_000_000
/** What RHEL 8 has. */
const NEWEST = { GLIBC_2: 28, 'GLIBCXX_3.4': 25 }
/** Packages whose archives have no text of their licence, which docs/licences.md names. */
const WITHOUT_TEXT = ['@bufbuild/protobuf', '@nodable/entities', 'koa-compose']

let folder: Folder
let files: ReleaseFiles
let program: string

beforeAll(async () => {
  folder = temporaryFolder()
  files = await releaseFiles(folder.path)
  program = join(files.tree, 'sds-exporter')
}, BUILD_TIMEOUT_MS)

afterAll(() => folder[Symbol.dispose]())

describe('the archive of this machine', () => {
  test('is small, and has the program, an example, completions, a manual page and licences', () => {
    expect(statSync(files.archive).size).toBeLessThan(MAX_ARCHIVE_BYTES)
    const names = [
      'LICENSE',
      'app',
      'bin',
      'completions',
      'sds-exporter',
      'sds-exporter.1',
      'sds-exporter.yml',
    ]
    expect(readdirSync(files.tree).sort()).toEqual(names)
    expect(readdirSync(join(files.tree, 'bin')).sort()).toEqual(['LICENSE', 'node'])
    const completions = ['_sds-exporter', 'sds-exporter.bash', 'sds-exporter.fish']
    expect(readdirSync(join(files.tree, 'completions')).sort()).toEqual(completions)
  })

  test('has the text of the licence of each package', () => {
    const manifests = globSync('app/node_modules/**/package.json', { cwd: files.tree }).filter((path) =>
      /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path),
    )
    expect(manifests.length).toBeGreaterThan(50)
    const hasText = (path: string) =>
      readdirSync(join(files.tree, path, '..')).some((name) => /^licen[cs]e/i.test(name))
    const without = manifests
      .filter((path) => !hasText(path))
      .map((path) => /.*node_modules\/(.*)\/[^/]+$/.exec(path)?.[1])
    expect(without.sort()).toEqual(WITHOUT_TEXT)
  })

  test('has the Node.js with which the tests run, without symbols', () => {
    const official = readFileSync('node_modules/node/bin/node')
    expect(createHash('sha256').update(official).digest('hex')).toBe(RUNTIMES.platforms[OWN_PLATFORM]?.sha256)
    expect(withoutSymbols(official).equals(readFileSync(executableIn(files.tree)))).toBe(true)
  })

  test('runs with the libraries of RHEL 8', () => {
    const executable = readFileSync(executableIn(files.tree), 'latin1')
    for (const [prefix, newest] of Object.entries(NEWEST)) {
      const needed = [...executable.matchAll(new RegExp(`\\0${prefix.replace('.', '\\.')}\\.(\\d+)`, 'g'))]
      expect(needed.length).toBeGreaterThan(0)
      expect(Math.max(...needed.map(([, number]) => Number(number)))).toBeLessThanOrEqual(newest)
    }
  })

  test('has a bill of materials with Node.js, its libraries and the packages of the lockfile', () => {
    const bill = JSON.parse(readFileSync(join(files.out, `sds-exporter-${OWN_PLATFORM}.cdx.json`), 'utf8'))
    expect(bill.metadata.component).toMatchObject({
      type: 'application',
      name: 'sds-exporter',
      version: VERSION,
    })
    const purls: string[] = bill.components.map(({ purl }: { purl: string }) => purl)
    expect(purls).toContain(`pkg:generic/node@${RUNTIMES.version}`)
    expect(purls.join('\n')).toMatch(/pkg:generic\/openssl@/)
    const { packages } = JSON.parse(readText('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; version: string }>
    }
    const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
    const wanted = shipped.map(
      ([path, { version }]) =>
        `pkg:npm/${path.replace(/.*node_modules\//, '').replace('@', '%40')}@${version}`,
    )
    expect(purls.filter((purl) => purl.startsWith('pkg:npm/')).sort()).toEqual([...new Set(wanted)].sort())
  })
})

describe('the program of the archive', () => {
  test('serves an emulated storage system, with TLS, passwords, pages and rules', async () => {
    await using emulator = await startProcess(program, ['emulate', '--listen-address=127.0.0.1:0', '--tls'])
    const [, system = ''] = await emulator.waitForOutput(/(https:\/\/\S+)/)
    folder.write('password', 'emulator\n')
    const config = folder.write(
      'sds-exporter.yml',
      readFileSync(join(files.tree, 'sds-exporter.yml'), 'utf8')
        .replace(/base_url: .*/, `base_url: ${system}`)
        .replace(/# (tls_config: )\{.*\}/, '$1{insecure_skip_verify: true}'),
    )
    const hash = bcrypt.hashSync('secret', 4)
    const web = folder.write('web.yml', `basic_auth_users: {prometheus: ${hash}}\n`)
    await using exporter = await startProcess(program, [
      ...['serve', `--config.file=${config}`, `--web.config.file=${web}`, '--web.listen-address=127.0.0.1:0'],
    ])
    const [, url = ''] = await exporter.waitForOutput(/msg=listening url=(\S+)/)
    const headers = { authorization: `Basic ${Buffer.from('prometheus:secret').toString('base64')}` }
    expect((await get(`${url}/metrics`)).status).toBe(401)
    await expect
      .poll(async () => (await get(`${url}/metrics`, headers)).text)
      .toMatch(/^sds_pool_up\{.*\} 1$/m)
    for (const path of ['/', '/runbooks', '/api/v1/status'])
      expect((await get(`${url}${path}`, headers)).status).toBe(200)
    expect(readFileSync(`/proc/${exporter.pid}/cmdline`, 'utf8')).toContain(join(files.tree, 'bin/node'))
    expect(await exporter.stop()).toEqual({ code: 0, signal: null })
  })

  test('writes rules and dashboards, and ends with the exit code of an invalid configuration', async () => {
    const out = join(folder.path, 'written')
    for (const name of ['rules', 'dashboards'])
      expect(await run(program, [name, `--out=${out}`])).toMatchObject({ code: 0 })
    expect(readdirSync(out)).toContain('sds-alerts.yml')
    const invalid = folder.write('invalid.yml', 'systems: []\n')
    expect(await run(program, ['serve', `--config.file=${invalid}`])).toMatchObject({ code: EXIT.config })
  })
})
