import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
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
import { toolPath } from '../../support/tools.ts'
import { waitFor } from '../../support/wait.ts'
import { bootMachine, type Machine } from './booted.ts'
import {
  BUILD_TIMEOUT_MS,
  LOWER_VERSION,
  packageFiles,
  type ReleaseFiles,
  releaseFiles,
  VERSION,
} from './files.ts'

const MAX_ARCHIVE_BYTES = 45_000_000
/** What RHEL 8 has. */
const NEWEST = { GLIBC_2: 28, 'GLIBCXX_3.4': 25 }
/** Packages whose archives have no text of their licence, which docs/licences.md names. */
const WITHOUT_TEXT = ['@bufbuild/protobuf', '@nodable/entities', 'koa-compose']

let folder: Folder
let files: ReleaseFiles
let packages: ReturnType<typeof packageFiles>
let program: string

beforeAll(async () => {
  folder = temporaryFolder()
  files = await releaseFiles(folder.path)
  program = join(files.tree, 'sds-exporter')
  packages = packageFiles(folder.path, files.tree)
}, BUILD_TIMEOUT_MS)

afterAll(() => folder[Symbol.dispose]())

describe('the archive of this machine', () => {
  test('is small, and has the program, an example, completions, a manual page and licences', () => {
    expect(statSync(files.archive).size).toBeLessThan(MAX_ARCHIVE_BYTES)
    const names = 'LICENSE app bin completions sds-exporter sds-exporter.1 sds-exporter.yml'
    expect(readdirSync(files.tree).sort()).toEqual(names.split(' '))
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
    const component = { type: 'application', name: 'sds-exporter', version: VERSION }
    expect(bill.metadata.component).toMatchObject(component)
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
    const flags = [`--config.file=${config}`, `--web.config.file=${web}`, '--web.listen-address=127.0.0.1:0']
    await using exporter = await startProcess(program, ['serve', ...flags])
    const [, url = ''] = await exporter.waitForOutput(/msg=listening url=(\S+)/)
    const headers = { authorization: `Basic ${Buffer.from('prometheus:secret').toString('base64')}` }
    expect((await get(`${url}/metrics`)).status).toBe(401)
    const metrics = async () => (await get(`${url}/metrics`, headers)).text
    await expect.poll(metrics).toMatch(/^sds_pool_up\{.*\} 1$/m)
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

const CONFIG = '/etc/sds-exporter/sds-exporter.yml'
const PASSWORD = '/etc/sds-exporter/password'
const DROP_IN = '/usr/lib/systemd/system/sds-exporter.service.d/older-systemd.conf'
const RPM = ['--nodeps', '--force-debian']

/** Programs that install the packages. Dependencies of the .rpm are names that Debian's database does not have. */
const KINDS = {
  deb: {
    install: ['dpkg', '--install'],
    upgrade: ['dpkg', '--install'],
    remove: ['dpkg', '--purge', 'sds-exporter'],
    flags: '/etc/default/sds-exporter',
  },
  rpm: {
    install: ['rpm', '--install', ...RPM],
    upgrade: ['rpm', '--upgrade', ...RPM],
    remove: ['rpm', '--erase', ...RPM, 'sds-exporter'],
    flags: '/etc/sysconfig/sds-exporter',
  },
} as const

const reason = await bootReason()

/** Why systemd cannot be booted here; undefined if it can. CI installs the .deb on its own machine, too. */
async function bootReason(): Promise<string | undefined> {
  using scratch = temporaryFolder()
  const booted = await bootMachine(scratch.path, scratch.path)
  if (typeof booted === 'string') return booted
  await booted[Symbol.asyncDispose]()
  return undefined
}

describe('the .rpm', () => {
  test('needs what RHEL 8 and SLES 15 have', async () => {
    const file = join(packages.out, packages.rpm(VERSION))
    const { stdout } = await run(toolPath('rpm'), ['--query', '--package', '--requires', file])
    const names = stdout.trim().split('\n')
    const libraries = ['libc.so.6(GLIBC_2.28)(64bit)', 'libstdc++.so.6()(64bit)']
    const others = names.filter((name) => !name.startsWith('rpmlib('))
    expect(others.sort()).toEqual(['/usr/sbin/useradd', ...libraries])
  })

  test('has a configuration for its group, which upgrades keep', async () => {
    const format = '[%{FILENAMES} %{FILEMODES:octal} %{FILEUSERNAME}:%{FILEGROUPNAME} %{FILEFLAGS:fflags}\n]'
    const file = join(packages.out, packages.rpm(VERSION))
    const { stdout } = await run(toolPath('rpm'), ['--query', '--package', `--queryformat=${format}`, file])
    const rows = stdout.trim().split('\n')
    expect(rows).toContain(`${CONFIG} 100640 root:sds-exporter cn`)
    expect(rows).toContain(`${KINDS.rpm.flags} 100644 root:root cn`)
    const others = rows.filter((row) => !/ root:root\b/.test(row))
    expect(others).toHaveLength(1)
  })
})

describe.skipIf(reason !== undefined).each(['deb', 'rpm'] as const)(
  'the .%s, with a running systemd',
  (kind) => {
    const { install, upgrade, remove, flags } = KINDS[kind]
    let machine: Machine

    beforeAll(async () => {
      const scratch = join(folder.path, `machine-${kind}`)
      mkdirSync(scratch)
      const booted = await bootMachine(scratch, packages.out)
      if (typeof booted === 'string') throw new Error(booted)
      machine = booted
    })

    afterAll(() => machine[Symbol.asyncDispose]())

    const must = async (...command: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await machine.run(...command)
      if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${stdout}${stderr}`)
      return stdout.trim()
    }
    const shell = (commands: string) => must('bash', '-euo', 'pipefail', '-c', commands)
    const property = (name: string) =>
      must('systemctl', 'show', `--property=${name}`, '--value', 'sds-exporter')
    const file = (version: string) => `/tmp/files/${packages[kind](version)}`

    test('starts no service when it is installed, and none with the example of a configuration', async () => {
      await must(...install, file(LOWER_VERSION))
      expect(await property('ActiveState')).toBe('inactive')
      expect(await property('UnitFileState')).toBe('disabled')
      const modes = await must('stat', '--format=%a %U:%G', CONFIG, PASSWORD)
      expect(modes).toBe('640 root:sds-exporter\n600 root:root')
      expect((await machine.run('systemctl', 'start', 'sds-exporter')).code).not.toBe(0)
      // The password is empty.
      expect(await property('ExecMainStatus')).toBe(String(EXIT.config))
      expect(await property('NRestarts')).toBe('0')
    })

    test('runs as its user with the configuration and the flags', async () => {
      const emulate = ['sds-exporter', 'emulate', '--listen-address=127.0.0.1:4443']
      await must('systemd-run', '--unit=emulator', ...emulate)
      await shell(`
      sed -i 's#base_url: .*#base_url: http://127.0.0.1:4443#' ${CONFIG}
      echo emulator > ${PASSWORD}
      echo 'ARGS="--web.listen-address=:9500"' > ${flags}
      systemctl enable --now sds-exporter
    `)
      await scraped()
      const running = await must('ps', '-o', 'user:20=,args=', '-p', await property('MainPID'))
      expect(running).toMatch(/^sds-exporter +\/usr\/libexec\/sds-exporter\/bin\/node /)
    })

    test('is restarted by an upgrade, which keeps configuration and flags', async () => {
      const before = await property('MainPID')
      await must(...upgrade, file(VERSION))
      expect(await property('ActiveState')).toBe('active')
      expect(await property('MainPID')).not.toBe(before)
      expect(await must('cat', CONFIG)).toContain('http://127.0.0.1:4443')
      await scraped()
    })

    test('is not started again with an invalid configuration', async () => {
      await shell(`cp ${CONFIG} /tmp/valid; echo 'systems: []' > ${CONFIG}`)
      expect((await machine.run('systemctl', 'restart', 'sds-exporter')).code).not.toBe(0)
      expect(await property('ExecMainStatus')).toBe(String(EXIT.config))
      expect(await property('NRestarts')).toBe('0')
      await shell(`cp /tmp/valid ${CONFIG}; systemctl restart sds-exporter`)
    })

    test('is stopped when it is removed, and leaves nothing but what rpm keeps', async () => {
      await must(...remove)
      expect(await property('ActiveState')).toBe('inactive')
      expect((await machine.run('systemctl', 'cat', 'sds-exporter')).code).not.toBe(0)
      const find = 'find /usr /etc -name "*sds-exporter*" -not -path "/usr/src/*"'
      const left = await machine.run('bash', '-c', find)
      const kept = kind === 'rpm' ? ['/etc/sds-exporter', `${CONFIG}.rpmsave`, `${flags}.rpmsave`] : ['']
      expect(left.stdout.trim().split('\n').sort()).toEqual(kept.toSorted())
    })

    test('has the drop-in for an older systemd', async () => {
      await shell(`
      mv /usr/bin/systemctl /usr/bin/systemctl.own
      echo '#!/bin/sh' > /usr/bin/systemctl
      echo '[ "$1" = --version ] && echo "systemd 239 (239-82.el8)" || exec systemctl.own "$@"' >> /usr/bin/systemctl
      chmod 0755 /usr/bin/systemctl
    `)
      await must(...install, file(VERSION))
      expect(await property('Type')).toBe('simple')
      expect(await property('DropInPaths')).toBe(DROP_IN)
      await must(...remove)
      expect((await machine.run('test', '-e', DROP_IN)).code).toBe(1)
    })

    async function scraped(): Promise<void> {
      const detail = () => 'journalctl --unit=sds-exporter has more'
      const isUp = async () =>
        /^sds_system_up\{.*\} 1$/m.test(await must('curl', '--silent', 'http://127.0.0.1:9500/metrics'))
      await waitFor(isUp, { what: 'a scrape', detail })
    }
  },
)
