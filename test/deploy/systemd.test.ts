import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/commands/cli/exit.ts'
import { createProgram } from '../../src/commands/program.ts'
import { loadConfig } from '../../src/config/load.ts'
import { readText } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { toolPath } from '../support/tools.ts'
import { parseUnit, valuesOf } from './unit_file.ts'

const FOLDER = 'deploy/systemd'
const UNIT = `${FOLDER}/sds-exporter.service`
const text = readText(UNIT)
const unit = parseUnit(text)

/** Limit for the exposure level of `systemd-analyze security`, times ten; 100 is a service without restrictions. */
const MAX_EXPOSURE = '20'

/** EXIT_CREDENTIALS of systemd.exec(5). */
const MISSING_CREDENTIAL = 243

function security(file: string) {
  return run(toolPath('systemd-analyze'), [
    'security',
    '--offline=true',
    `--threshold=${MAX_EXPOSURE}`,
    '--no-pager',
    file,
  ])
}

/** Warnings of `systemd-analyze verify`. The program of the unit is replaced by one that is installed. */
async function verify(unitText: string): Promise<string> {
  using folder = temporaryFolder()
  const file = folder.write(
    'sds-exporter.service',
    unitText.replaceAll('/usr/local/bin/sds-exporter', '/bin/true'),
  )
  const { stdout, stderr } = await run(toolPath('systemd-analyze'), ['verify', '--man=no', file])
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.includes('sds-exporter'))
    .join('\n')
}

describe('the unit', () => {
  test('has an exposure level of at most 2.0', async () => {
    const { code, stdout } = await security(UNIT)
    expect(stdout).toMatch(/Overall exposure level for sds-exporter.service: [01]\.\d/)
    expect(code).toBe(0)
  })

  test('has only settings that systemd accepts', async () => {
    expect(await verify(text)).toBe('')
  })

  test('is started when it listens, and not again after a wrong flag or an invalid configuration', () => {
    expect(valuesOf(unit, 'Type')).toEqual(['notify'])
    // The program systemd-notify is not the main process.
    expect(valuesOf(unit, 'NotifyAccess')).toEqual(['all'])
    expect(valuesOf(unit, 'RestartPreventExitStatus')).toEqual([
      `${EXIT.usage} ${EXIT.config} ${MISSING_CREDENTIAL}`,
    ])
    // A Node.js that is too old cannot import the constant.
    expect(readText('src/main.ts')).toContain(`process.exitCode = ${EXIT.config}\n`)
    // systemd ignores the exit code of other commands than ExecStart for this setting.
    expect(valuesOf(unit, 'ExecStartPre')).toEqual([])
  })

  test('has a drop-in for versions without credentials, with settings that systemd accepts', async () => {
    const dropIn = readText(`${FOLDER}/older-systemd.conf`)
    const older = parseUnit(dropIn)
    expect(await verify(`${text}\n${dropIn}`)).toBe('')
    expect(valuesOf(older, 'Type')).toEqual(['simple'])
    const [source = ''] = valuesOf(unit, 'LoadCredential').map((value) => value.split(':')[1])
    expect(readText(`${FOLDER}/sds-exporter.yml`)).toContain(
      `password_file: \${CREDENTIALS_DIRECTORY:-${dirname(source)}}/${basename(source)}\n`,
    )
  })

  test('ExecStart is a valid command line', async () => {
    const [line = ''] = valuesOf(unit, 'ExecStart')
    const [path, name, ...flags] = line.split(' ')
    expect(path).toBe('/usr/local/bin/sds-exporter')
    const { commands } = await createProgram()
    const command = commands.find((one) => one.name() === name)
    expect(flags.pop()).toBe('$ARGS')
    expect(command?.parseOptions(flags)).toEqual({ operands: [], unknown: [] })
  })

  test('takes more flags from files that packages install, if they are there', () => {
    const files = ['default', 'sysconfig'].map((folder) => `-/etc/${folder}/sds-exporter`)
    expect(valuesOf(unit, 'EnvironmentFile')).toEqual(files)
    expect(readText('deploy/packages/flags')).toMatch(/^ARGS=""$/m)
  })

  test('reloads the configuration with SIGHUP', () => {
    expect(valuesOf(unit, 'ExecReload')).toEqual([expect.stringContaining('kill -HUP $MAINPID')])
  })

  test('provides the secret of the configuration as a credential, not in the environment', () => {
    using credentials = temporaryFolder()
    const names = valuesOf(unit, 'LoadCredential').map((value) => value.split(':')[0] ?? '')
    for (const name of names) credentials.write(name, 'x\n')
    const { systems } = loadConfig(`${FOLDER}/sds-exporter.yml`, { CREDENTIALS_DIRECTORY: credentials.path })
    expect(systems).toMatchObject([
      { auth: { kind: 'login_file', file: join(credentials.path, 'password') } },
    ])
    const variables = valuesOf(unit, 'Environment').map((value) => value.split('=')[0])
    expect(variables.filter((name) => !name?.startsWith('NODE_'))).toEqual([])
  })
})

test('the user is created by systemd-sysusers without home and shell, with the name in the unit', async () => {
  using root = temporaryFolder()
  mkdirSync(join(root.path, 'etc'))
  const sysusers = join(dirname(realpathSync(toolPath('systemd-analyze'))), 'systemd-sysusers')
  if (!existsSync(sysusers)) throw new Error(`${sysusers} is missing: install the package systemd`)
  const file = `${process.cwd()}/${FOLDER}/sds-exporter.sysusers`
  const { code, stderr } = await run(sysusers, [`--root=${root.path}`, file])
  expect({ code, stderr: stderr.replaceAll(/^Creating .*\n/gm, '') }).toEqual({ code: 0, stderr: '' })
  const [name, , id, , , home, shell] = readFileSync(join(root.path, 'etc/passwd'), 'utf8').trim().split(':')
  expect([name]).toEqual(valuesOf(unit, 'User'))
  expect(valuesOf(unit, 'Group')).toEqual(valuesOf(unit, 'User'))
  expect(Number(id)).toBeLessThan(1000)
  expect([home, shell]).toEqual(['/', '/usr/sbin/nologin'])
})
