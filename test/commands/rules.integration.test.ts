import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readText } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { runCommand } from './run_command.ts'

/** A mount for one process needs a mount namespace. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0

const program = (...args: string[]) => runCommand(args)

const SETTINGS = `alerting:
  runbook_base_url: https://wiki.example.net/alerts.md
  grafana_url: https://grafana.example.net
  thresholds: {used_ratio: {warning: 0.7}}
  disabled: [SdsNodesCpuBusy]
`

describe('rules', () => {
  test('writes rules and inhibition, without settings those of the package', async () => {
    using folder = temporaryFolder()
    const out = join(folder.path, 'a', 'b')
    const { code, stdout, stderr } = await program('rules', `--out=${out}`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const names = ['alertmanager-inhibition.yml', 'sds-alerts.yml', 'sds-recording.yml']
    expect(readdirSync(out).toSorted()).toEqual(names)
    for (const name of names) expect(stdout).toContain(`wrote ${join(out, name)}\n`)
    expect(readFileSync(join(out, 'sds-alerts.yml'), 'utf8')).toBe(
      readText('deploy/prometheus/rules/sds-alerts.yml'),
    )
  })

  test('uses the settings of a file, and links of flags before those of the file', async () => {
    using folder = temporaryFolder()
    const file = folder.write('alerting.yml', SETTINGS)
    const runbooks = '--runbook.base-url=https://docs.example.net/alerts/'
    const { code } = await program('rules', `--out=${folder.path}`, `--config.file=${file}`, runbooks)
    expect(code).toBe(0)
    const { groups } = parse(readFileSync(join(folder.path, 'sds-alerts.yml'), 'utf8'))
    const rules = groups.flatMap((group: { rules: unknown[] }) => group.rules)
    const warning = rules.find(
      ({ alert, labels }: { alert: string; labels: { severity: string } }) =>
        alert === 'SdsCapacityHigh' && labels.severity === 'warning',
    )
    expect(warning.expr).toMatch(/> 0\.7$/)
    expect(warning.annotations).toMatchObject({
      runbook_url: 'https://docs.example.net/alerts#sdscapacityhigh',
      dashboard_url: expect.stringMatching(/^https:\/\/grafana\.example\.net\/d\/sds-capacity\?var-system=/),
    })
    expect(rules.map(({ alert }: { alert: string }) => alert)).not.toContain('SdsNodesCpuBusy')
  })

  test('links to the runbooks at an address', async () => {
    using folder = temporaryFolder()
    const address = '--runbook.base-url=http://exporter.example.net:9438/runbooks'
    expect((await program('rules', `--out=${folder.path}`, address)).code).toBe(0)
    const text = readFileSync(join(folder.path, 'sds-alerts.yml'), 'utf8')
    expect(text).toContain('runbook_url: http://exporter.example.net:9438/runbooks#sdscapacityhigh')
    const { code, stderr } = await program(
      'rules',
      `--out=${folder.path}`,
      '--runbook.base-url=exporter:9438',
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('--runbook.base-url must begin with')])
  })

  test('writes objects for Kubernetes with the same settings', async () => {
    using folder = temporaryFolder()
    const file = folder.write('alerting.yml', SETTINGS)
    const out = join(folder.path, 'out')
    const { code } = await program('rules', `--out=${out}`, `--config.file=${file}`, '--kubernetes')
    expect(code).toBe(0)
    const { resources } = parse(readFileSync(join(out, 'kustomization.yaml'), 'utf8'))
    expect(readdirSync(out).toSorted()).toEqual(
      [...resources, 'kustomization.yaml', 'alertmanager-inhibition.yml'].toSorted(),
    )
    const rule = readFileSync(join(out, 'rule-sds-alerts.yaml'), 'utf8')
    expect(rule).toContain('kind: PrometheusRule')
    expect(rule).toContain('ratio > 0.7')
    const board = parse(readFileSync(join(out, 'dashboard-sds-capacity.yaml'), 'utf8'))
    expect(board.data['sds-capacity.json']).toContain('{"color":"yellow","value":0.7}')
  })

  test('replaces files, which keep their owners, modes and links', async () => {
    using folder = temporaryFolder()
    const target = folder.write('target.yml', 'old')
    // Only root may give a file to another user.
    const owner = process.getuid?.() === 0 ? 65_534 : statSync(target).uid
    chownSync(target, owner, statSync(target).gid)
    chmodSync(target, 0o666)
    symlinkSync('target.yml', join(folder.path, 'sds-alerts.yml'))
    const { code } = await program('rules', `--out=${folder.path}`)
    expect(code).toBe(0)
    expect(readFileSync(target, 'utf8')).toBe(readText('deploy/prometheus/rules/sds-alerts.yml'))
    const { mode, uid } = statSync(target)
    expect({ mode: mode & 0o777, uid }).toEqual({ mode: 0o666, uid: owner })
    expect(lstatSync(join(folder.path, 'sds-alerts.yml')).isSymbolicLink()).toBe(true)
  })

  test.each([
    ['leaves no part of a new file', []],
    ['does not change a file', ['sds-recording.yml']],
  ])('a full disk %s', async (_, before) => {
    using folder = temporaryFolder()
    for (const name of before) folder.write(name, 'old')
    // A limit for the size of files stands for the full disk.
    const script = 'ulimit -f 1; exec "$@"'
    const command = [process.execPath, 'src/main.ts', 'rules', `--out=${folder.path}`]
    const { code, stdout, stderr } = await run('sh', ['-c', script, 'sh', ...command])
    const path = join(folder.path, 'sds-recording.yml')
    expect([code, stdout, stderr]).toEqual([1, '', `sds-exporter: ${path}: file too large (EFBIG)\n`])
    expect(readdirSync(folder.path)).toEqual(before)
    for (const name of before) expect(readFileSync(join(folder.path, name), 'utf8')).toBe('old')
  })

  test.skipIf(!canMount)('writes to a file that is mounted by itself', async () => {
    using folder = temporaryFolder()
    const outside = folder.write('outside.yml', 'old')
    const inside = folder.write('sds-alerts.yml', '')
    const script = 'mount --bind "$0" "$1"; shift; exec "$@"'
    const command = [process.execPath, 'src/main.ts', 'rules', `--out=${folder.path}`]
    const shell = ['sh', '-c', script, outside, inside]
    const { code, stderr } = await run('unshare', ['--mount', ...shell, ...command])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(readFileSync(outside, 'utf8')).toBe(readText('deploy/prometheus/rules/sds-alerts.yml'))
  })

  test('writes nothing in a dry run', async () => {
    using folder = temporaryFolder()
    const { code, stdout } = await program('rules', `--out=${join(folder.path, 'a')}`, '--dry-run')
    expect([code, readdirSync(folder.path)]).toEqual([0, []])
    expect(stdout.match(/^would write /gm)).toHaveLength(3)
  })

  test('prints all problems of the settings and writes nothing', async () => {
    using folder = temporaryFolder()
    const file = folder.write('alerting.yml', 'alerting: {thresholds: {used: 1}, disabled: [SdsNodeGood]}\n')
    const out = `--out=${join(folder.path, 'a')}`
    const { code, stdout, stderr } = await program('rules', out, `--config.file=${file}`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('alerting.thresholds.used: unknown key')
    expect(stderr).toContain('alerting.disabled[0]: there is no alert of this name')
    expect(readdirSync(folder.path)).toEqual(['alerting.yml'])
  })

  test.each([
    ['no folder', [], '--out'],
    ['a fragment', ['--out=x', '--runbook.base-url=https://wiki/#x'], '--runbook.base-url'],
    ['a password', ['--out=x', '--runbook.base-url=https://a:canary@wiki/'], '--runbook.base-url'],
  ])('%s is a usage error', async (_, args, flag) => {
    const { code, stdout, stderr } = await program('rules', ...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(flag)
    expect(stderr).not.toContain('canary')
  })
})

test('dashboards uses the same file', async () => {
  using folder = temporaryFolder()
  const file = folder.write('alerting.yml', SETTINGS)
  const out = join(folder.path, 'out')
  const { code } = await program('dashboards', `--out=${out}`, `--config.file=${file}`)
  expect(code).toBe(0)
  const { panels } = JSON.parse(readFileSync(join(out, 'sds-capacity.json'), 'utf8'))
  const used = panels.find(({ title }: { title?: string }) => title === 'Space used')
  expect(used.fieldConfig.defaults.thresholds.steps[1].value).toBe(0.7)
})
