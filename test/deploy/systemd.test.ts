import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
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

/** systemd's measure of what a service could do to the machine, times ten: 2.0, where 10.0 is unbounded. */
const MAX_EXPOSURE = '20'

function security(file: string) {
  return run(toolPath('systemd-analyze'), [
    'security',
    '--offline=true',
    `--threshold=${MAX_EXPOSURE}`,
    '--no-pager',
    file,
  ])
}

/** What systemd says of the unit, with programs that this machine has. */
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
  test('exposes the machine by at most 2.0', async () => {
    const { code, stdout } = await security(UNIT)
    expect(stdout).toMatch(/Overall exposure level for sds-exporter.service: [01]\.\d/)
    expect(code).toBe(0)
  })

  test('would be refused without its confinement', async () => {
    using folder = temporaryFolder()
    const lax = text.replaceAll(
      /^(Protect|Private|Restrict|SystemCall|Capability|NoNew|User|Group).*\n/gm,
      '',
    )
    expect(await security(folder.write('sds-exporter.service', lax))).toMatchObject({ code: 1 })
  })

  test('has nothing that systemd does not understand', async () => {
    expect(await verify(text)).toBe('')
  })

  test('would be told of a misspelt setting', async () => {
    expect(await verify(text.replace('ProtectHome', 'ProtectHouse'))).toContain("'ProtectHouse'")
  })

  test('leaves memory executable, without which V8 cannot run', () => {
    expect(valuesOf(unit, 'MemoryDenyWriteExecute')).toEqual([])
  })

  test.each(['ExecStartPre', 'ExecStart'])('%s is a command line that the program takes', (key) => {
    const [line = ''] = valuesOf(unit, key)
    const [path, name, ...flags] = line.split(' ')
    expect(path).toBe('/usr/local/bin/sds-exporter')
    const command = createProgram().commands.find((one) => one.name() === name)
    expect(command?.parseOptions(flags)).toEqual({ operands: [], unknown: [] })
  })

  test('loads its configuration again on the signal that the program takes for it', () => {
    expect(valuesOf(unit, 'ExecReload')).toEqual(['/bin/kill -HUP $MAINPID'])
    expect(valuesOf(unit, 'Type')).toEqual(['exec'])
  })

  test('hands over the secret that the configuration asks for, and never by the environment', () => {
    using credentials = temporaryFolder()
    const names = valuesOf(unit, 'LoadCredential').map((value) => value.split(':')[0] ?? '')
    for (const name of names) credentials.write(name, 'x\n')
    const { systems } = loadConfig(`${FOLDER}/sds-exporter.yml`, { CREDENTIALS_DIRECTORY: credentials.path })
    expect(systems).toMatchObject([
      { auth: { kind: 'login_file', file: join(credentials.path, 'password') } },
    ])
    expect(valuesOf(unit, 'Environment')).toEqual([
      'NODE_ENV=production',
      'NODE_OPTIONS=--max-semi-space-size=16',
    ])
  })
})

describe('the user', () => {
  test('is made by systemd-sysusers, without a home and without a shell, and is that of the unit', async () => {
    using root = temporaryFolder()
    mkdirSync(join(root.path, 'etc'))
    const sysusers = join(dirname(realpathSync(toolPath('systemd-analyze'))), 'systemd-sysusers')
    if (!existsSync(sysusers)) throw new Error(`${sysusers} is not here: install the package systemd`)
    const file = `${process.cwd()}/${FOLDER}/sds-exporter.sysusers`
    const { code, stderr } = await run(sysusers, [`--root=${root.path}`, file])
    expect({ code, stderr: stderr.replaceAll(/^Creating .*\n/gm, '') }).toEqual({ code: 0, stderr: '' })
    const [name, , id, , , home, shell] = readFileSync(join(root.path, 'etc/passwd'), 'utf8')
      .trim()
      .split(':')
    expect([name]).toEqual(valuesOf(unit, 'User'))
    expect(valuesOf(unit, 'Group')).toEqual(valuesOf(unit, 'User'))
    expect(Number(id)).toBeLessThan(1000)
    expect([home, shell]).toEqual(['/', '/usr/sbin/nologin'])
  })
})
