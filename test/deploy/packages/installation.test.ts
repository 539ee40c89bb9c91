import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXIT } from '../../../src/commands/cli/exit.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { run } from '../../support/processes.ts'
import { toolPath } from '../../support/tools.ts'
import { waitFor } from '../../support/wait.ts'
import { bootMachine, type Machine } from './booted.ts'
import { BUILD_TIMEOUT_MS, LOWER_VERSION, packageFiles, VERSION } from './files.ts'

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

let folder: Folder
let files: Awaited<ReturnType<typeof packageFiles>>

beforeAll(async () => {
  folder = temporaryFolder()
  files = await packageFiles(folder.path)
}, BUILD_TIMEOUT_MS)

afterAll(() => folder[Symbol.dispose]())

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
    const file = join(files.out, files.rpm(VERSION))
    const { stdout } = await run(toolPath('rpm'), ['--query', '--package', '--requires', file])
    const names = stdout
      .trim()
      .split('\n')
      .filter((name) => !name.startsWith('rpmlib('))
    expect(names.sort()).toEqual([
      '/usr/sbin/useradd',
      'libc.so.6(GLIBC_2.28)(64bit)',
      'libstdc++.so.6()(64bit)',
    ])
  })

  test('has a configuration for its group, which upgrades keep', async () => {
    const format = '[%{FILENAMES} %{FILEMODES:octal} %{FILEUSERNAME}:%{FILEGROUPNAME} %{FILEFLAGS:fflags}\n]'
    const file = join(files.out, files.rpm(VERSION))
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
      const booted = await bootMachine(scratch, files.out)
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
    const file = (version: string) => `/tmp/files/${files[kind](version)}`

    test('starts no service when it is installed, and none with the example of a configuration', async () => {
      await must(...install, file(LOWER_VERSION))
      expect(await property('ActiveState')).toBe('inactive')
      expect(await property('UnitFileState')).toBe('disabled')
      expect(await must('stat', '--format=%a %U:%G', CONFIG, PASSWORD)).toBe(
        '640 root:sds-exporter\n600 root:root',
      )
      expect((await machine.run('systemctl', 'start', 'sds-exporter')).code).not.toBe(0)
      // The password is empty.
      expect(await property('ExecMainStatus')).toBe(String(EXIT.config))
      expect(await property('NRestarts')).toBe('0')
    })

    test('runs as its user with the configuration and the flags', async () => {
      await must(
        'systemd-run',
        '--unit=emulator',
        'sds-exporter',
        'emulate',
        '--listen-address=127.0.0.1:4443',
      )
      await shell(`
      sed -i 's#base_url: .*#base_url: http://127.0.0.1:4443#' ${CONFIG}
      echo emulator > ${PASSWORD}
      echo 'ARGS="--web.listen-address=:9500"' > ${flags}
      systemctl enable --now sds-exporter
    `)
      await scraped()
      expect(await must('ps', '-o', 'user:20=,args=', '-p', await property('MainPID'))).toMatch(
        /^sds-exporter +\/usr\/libexec\/sds-exporter\/bin\/node /,
      )
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
      const left = await machine.run(
        'bash',
        '-c',
        'find /usr /etc -name "*sds-exporter*" -not -path "/usr/src/*"',
      )
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
