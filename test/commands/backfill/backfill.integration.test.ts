import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../api/client_setup.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { startProcess } from '../../support/processes.ts'
import { waitFor } from '../../support/wait.ts'
import { backfill, samplesIn, toText } from './run_backfill.ts'

const FROM = '2026-03-01T00:00:00Z'
const TO = '2026-03-01T02:00:00Z'
const RANGE = [`--from=${FROM}`, `--to=${TO}`]
const POINTS = 24

interface System {
  readonly url: string
}

function configFor(folder: Folder, { url }: System, limits = '{requests_per_second: 1000}'): string {
  const auth = 'auth: {username: monitor, password: emulator}'
  const text = `systems: [{name: a, base_url: "${url}", ${auth}}]\nlimits: ${limits}\n`
  return `--config.file=${folder.write('sds-exporter.yml', text)}`
}

/** A run with this exit code and these words on stderr. */
const ended = (code: number, words: string) => ({ code, stderr: expect.stringContaining(words) })

/** Checks the form of OpenMetrics: blocks of families and series, rising times, the end. */
function expectOpenMetrics(text: string): void {
  expect(text.endsWith('# EOF\n')).toBe(true)
  const types = [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name)
  expect(new Set(types).size).toBe(types.length)
  const seen = new Set<string>()
  let [series, time] = ['', 0]
  for (const line of samplesIn(text)) {
    const [, name = '', t = ''] = /^(.*) \S+ (\d+)$/.exec(line) ?? []
    if (name !== series) {
      expect(seen).not.toContain(name)
      seen.add(name)
      time = 0
    }
    expect(Number(t)).toBeGreaterThan(time)
    series = name
    time = Number(t)
  }
  const families = [...seen].map((name) => name.replace(/\{.*/s, ''))
  expect(families.filter((name, index) => name !== families[index - 1])).toEqual(types)
}

describe('backfill', () => {
  test('writes the history of all pools as OpenMetrics, and prints how to import it', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 2, nodes: 1 })
    const file = join(folder.path, 'history.om')
    const { code, stdout, stderr } = await backfill(configFor(folder, emulator), ...RANGE, `--output=${file}`)
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${file}: `)])
    const text = readFileSync(file, 'utf8')
    expectOpenMetrics(text)
    const total = samplesIn(text).filter((line) => line.startsWith('sds_node_disk_space_total_bytes{'))
    expect(total).toHaveLength(2 * POINTS)
    expect(total[0]).toMatch(/\{system="a",pool="hot",node="hot-node-01"\} \d+ 1772323200$/)
    const current = /^sds_node_(info|health_status|disks|disk_space_free_bytes|transactions_failed)\b/m
    expect(text).not.toMatch(current)
    expect(text).toMatch(/^sds_node_disk_space_free_with_reserve_bytes\{/m)
    expect(stdout).toContain(`create-blocks-from --max-block-duration=744h openmetrics ${file} blocks`)
    expect(stdout).toContain('create-blocks-from --max-block-duration=162h rules')
    const names = ['history.om', 'history.om.journal', 'sds-exporter.yml']
    expect(readdirSync(folder.path).toSorted()).toEqual(names)
    expect(emulator.liveSessions('monitor')).toBe(0)
  })

  test('writes added labels, and one pool', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 2, nodes: 1 })
    const config = configFor(folder, emulator)
    const { code, text } = await toText(folder, config, ...RANGE, '--label=job=sds', '--pool=archive')
    expect(code).toBe(0)
    expectOpenMetrics(text)
    for (const line of samplesIn(text))
      expect(line).toContain('{system="a",pool="archive",node="archive-node-01",job="sds"')
  })

  test('warns without the label job, by which the dashboards select series', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const flags = [configFor(folder, emulator), ...RANGE, '--label=site=paris']
    const { code, stderr } = await toText(folder, ...flags)
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: .* add --label=job=NAME /)])
    const { stderr: labelled } = await toText(folder, ...flags, '--label=job=sds')
    expect(labelled).toMatch(/^\S+\.om: complete, /)
  })

  test('several processes share a backfill by system and pool, and write together what one writes alone', async () => {
    using folder = temporaryFolder()
    await using first = await startEmulator({ pools: 2, nodes: 1, seed: 'first' })
    await using second = await startEmulator({ pools: 1, nodes: 1, seed: 'second' })
    const systems = [first, second].map(
      ({ url }, index) => `{name: ${'ab'[index]}, base_url: "${url}", auth: {token: emulator-monitor}}`,
    )
    const text = `systems: [${systems.join(', ')}]\nlimits: {requests_per_second: 1000}\n`
    const config = `--config.file=${folder.write('sds-exporter.yml', text)}`
    const written = async (...flags: string[]) => {
      const { code, text } = await toText(folder, config, ...RANGE, ...flags)
      expect(code).toBe(0)
      expectOpenMetrics(text)
      return samplesIn(text)
    }
    const [whole, ...parts] = await Promise.all([
      written(),
      written('--system=a', '--pool=hot'),
      written('--system=a', '--pool=archive'),
      written('--system=b'),
    ])
    const pools = whole.map((line) => /system="(.)",pool="(\w+)"/.exec(line)?.slice(1).join(' '))
    expect(new Set(pools)).toEqual(new Set(['a hot', 'a archive', 'b hot']))
    expect(parts.flat().toSorted()).toEqual(whole.toSorted())
  })

  test('of a system whose clock is before the period has nothing to import', async () => {
    await using emulator = await startEmulator({ clock: () => Date.parse('2026-02-01T00:00:00Z') })
    using folder = temporaryFolder()
    const output = `--output=${join(folder.path, 'x.om')}`
    const { code, stdout, stderr } = await backfill(configFor(folder, emulator), ...RANGE, output)
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('complete, 0 samples')
    expect(stderr).toContain('nothing to import')
  })

  test('reports a deviation of the system once, not for each window', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1, faults: ['fixed-history'] })
    const flags = ['--from=-3d', `--output=${join(folder.path, 'history.om')}`]
    const { code, stderr } = await backfill(configFor(folder, emulator), ...flags)
    expect([code, stderr.match(/does not regard startTime and endTime/g)]).toEqual([0, [expect.anything()]])
  })
})

/** Many small windows, two requests a second: slow enough to be interrupted. */
const SLOW = '{requests_per_second: 2, max_response_bytes: 60KiB}'

describe('an interrupted run', () => {
  test('is continued with --resume to the same result, and a further run adds nothing', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 2, nodes: 1 })
    const file = join(folder.path, 'history.om')
    const flags = [...RANGE, `--output=${file}`]
    const slow = configFor(folder, emulator, SLOW)
    const child = await startProcess(process.execPath, ['src/main.ts', 'backfill', slow, ...flags])
    await waitFor(() => emulator.log.count('history') > 4, { what: 'some windows', detail: child.stderr })
    child.kill('SIGINT')
    expect(await child.exited).toEqual({ code: 1, signal: null })
    expect(child.stderr()).toMatch(/: interrupted\n.*run the same command with --resume to continue/ms)
    expect(existsSync(file)).toBe(false)

    const fast = configFor(folder, emulator)
    const again = await backfill(fast, ...flags)
    expect(again).toMatchObject(ended(1, 'continue it with --resume'))
    for (const [flag, changed] of [
      ['--label=a=b', 'other labels'],
      ['--interval=1h', 'another interval, 300 s'],
    ] as const)
      expect(await backfill(fast, ...flags, '--resume', flag)).toMatchObject(
        ended(2, `the earlier run had ${changed}`),
      )
    emulator.log.clear()
    expect(await backfill(fast, ...flags, '--resume')).toMatchObject({ code: 0 })
    const resumed = readFileSync(file, 'utf8')
    expectOpenMetrics(resumed)

    const whole = join(folder.path, 'whole.om')
    await backfill(fast, ...RANGE, `--output=${whole}`)
    expect(resumed).toBe(readFileSync(whole, 'utf8'))

    emulator.log.clear()
    const finished = await backfill(fast, '--from=-1h', `--output=${file}`, '--resume')
    expect(finished).toMatchObject(ended(0, `${FROM} to ${TO}, nothing to add`))
    expect(emulator.log.count()).toBe(0)
    expect(readdirSync(folder.path).filter((name) => name.includes('spool'))).toEqual([])
  })

  test('by a failure to write the output keeps what was read', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const file = join(folder.path, 'history.om')
    const flags = [configFor(folder, emulator), ...RANGE, `--output=${file}`]
    mkdirSync(`${file}.unfinished`)
    const failed = await backfill(...flags)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain(`${file}.unfinished: illegal operation on a directory (EISDIR)`)
    expect(failed.stderr).toContain('--resume to continue')
    rmSync(`${file}.unfinished`, { recursive: true })
    emulator.log.clear()
    expect(await backfill(...flags, '--resume')).toMatchObject({ code: 0 })
    expect(emulator.log.count('history')).toBe(0)
    expectOpenMetrics(readFileSync(file, 'utf8'))
  })

  test('by a failure of the system keeps what was read', async () => {
    using folder = temporaryFolder()
    const faults = ['status:403@history,pool=archive']
    await using emulator = await startEmulator({ pools: 2, nodes: 1, faults })
    const file = join(folder.path, 'history.om')
    const config = configFor(folder, emulator)
    const failed = await backfill(config, ...RANGE, `--output=${file}`)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('history of pool')
    expect(failed.stderr).toContain('--resume to continue')
    emulator.setFaults([])
    emulator.log.clear()
    expect(await backfill(config, ...RANGE, `--output=${file}`, '--resume')).toMatchObject({ code: 0 })
    const [request, ...more] = emulator.log.requests().filter(({ operation }) => operation === 'history')
    expect([request?.path, more]).toEqual([expect.stringContaining(emulator.pools[1]?.id ?? ''), []])
    expectOpenMetrics(readFileSync(file, 'utf8'))
  })
})

test('what a killed run has saved is removed by --resume if the run was finished', async () => {
  using folder = temporaryFolder()
  await using emulator = await startEmulator({ pools: 1, nodes: 1 })
  const file = join(folder.path, 'history.om')
  const flags = [configFor(folder, emulator), ...RANGE, `--output=${file}`]
  expect(await backfill(...flags)).toMatchObject({ code: 0 })
  mkdirSync(`${file}.spool`)
  folder.write('history.om.spool/0.om', '')
  expect(await backfill(...flags, '--resume')).toMatchObject(ended(0, 'nothing to add'))
  expect(existsSync(`${file}.spool`)).toBe(false)
})

describe('two runs on one output', () => {
  test('do not run at the same time', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const file = join(folder.path, 'history.om')
    const flags = [configFor(folder, emulator), ...RANGE, `--output=${file}`]
    const holder = { host: hostname(), pid: process.ppid }
    folder.write('history.om.journal.lock', JSON.stringify(holder))
    const message = `process ${holder.pid} on ${holder.host} holds ${file}.journal.lock`
    for (const more of [[], ['--resume'], ['--force']])
      expect(await backfill(...flags, ...more)).toMatchObject(ended(1, message))
    expect(readdirSync(folder.path).toSorted()).toEqual(['history.om.journal.lock', 'sds-exporter.yml'])
  })

  test('an existing output is replaced with --force only', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const file = folder.write('history.om', 'mine\n')
    const flags = [configFor(folder, emulator), ...RANGE, `--output=${file}`]
    const refused = await backfill(...flags)
    expect(refused).toMatchObject(ended(1, `${file} exists`))
    expect([readFileSync(file, 'utf8'), emulator.log.count()]).toEqual(['mine\n', 0])
    expect(await backfill(...flags, '--force')).toMatchObject({ code: 0 })
    expectOpenMetrics(readFileSync(file, 'utf8'))
  })

  test('a killed run is resumed: its lock is stale', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 2, nodes: 1 })
    const file = join(folder.path, 'history.om')
    const flags = [...RANGE, `--output=${file}`]
    const slow = configFor(folder, emulator, SLOW)
    await using child = await startProcess(process.execPath, ['src/main.ts', 'backfill', slow, ...flags])
    await waitFor(() => emulator.log.count('history') > 1, { what: 'some windows', detail: child.stderr })
    child.kill('SIGKILL')
    await child.exited
    expect(existsSync(`${file}.journal.lock`)).toBe(true)
    const fast = configFor(folder, emulator)
    expect(await backfill(fast, ...flags, '--resume')).toMatchObject({ code: 0 })
    expect(existsSync(`${file}.journal.lock`)).toBe(false)
    const whole = join(folder.path, 'whole.om')
    expect(await backfill(fast, ...RANGE, `--output=${whole}`)).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(whole, 'utf8'))
  })
})

describe('refuses', () => {
  test.each([
    [['--to=now', '--output=x'], 'backfill needs --from'],
    [['--from=tomorrow', '--output=x'], 'Expected a time such as'],
    [['--from=-1h'], 'choose one output'],
    [['--from=-1h', '--output=x', '--remote-write.url=http://a'], 'choose one output'],
    [['--from=-1h', '--remote-write.url=http://a', '--resume'], 'needs an output with a journal'],
    [['--from=-1h', '--output=x', '--resume', '--force'], '--resume continues a run, --force begins anew'],
    [['--from=-1h', '--output=x', '--remote-write.header=Host=a'], 'a header that has no flag of its own'],
    [['--from=-1h', '--output=x', '--label=node=x'], 'The label node is set by sds-exporter'],
    [['--from=-1h', '--output=x', '--label=le=1'], 'The label le is set by sds-exporter'],
    [['--from=-1h', '--output=x', '--label=interface=eth0'], 'The label interface is set by sds-exporter'],
    [['--from=-1h', '--output=x', '--label=x'], 'Expected NAME=VALUE'],
    [['--from=-1h', '--to=-2h', '--output=x'], '--from must be earlier'],
    [['--from=2100-01-01', '--output=x'], '--from must be earlier'],
    [['--from=-1h', '--output=x', '--system=b'], 'unknown system b'],
    [['--from=-1h', '--output=x', '--source=flux'], 'Allowed choices are '],
  ])('%o', async (flags, message) => {
    using folder = temporaryFolder()
    const result = await backfill(configFor(folder, { url: 'http://127.0.0.1:1' }), ...flags)
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  })

  test('an output that is not a regular file', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const config = configFor(folder, emulator)
    const path = join(folder.path, 'folder')
    mkdirSync(path)
    const result = await backfill(config, ...RANGE, `--output=${path}`)
    expect(result).toMatchObject(ended(1, 'cannot be written'))
    expect(existsSync(`${path}.journal`)).toBe(false)
  })

  test('an output in a folder that does not exist, without an offer to resume', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const file = join(folder.path, 'missing', 'history.om')
    const { code, stderr } = await backfill(configFor(folder, emulator), ...RANGE, `--output=${file}`)
    expect([code, stderr]).toEqual([1, expect.stringContaining('no such file or directory (ENOENT)')])
    expect(stderr).not.toContain('--resume')
  })

  test('an unknown pool', async () => {
    using folder = temporaryFolder()
    await using emulator = await startEmulator({ pools: 2, nodes: 1 })
    const result = await toText(folder, configFor(folder, emulator), ...RANGE, '--pool=cold')
    expect(result).toMatchObject(ended(2, 'unknown pool cold; pools: hot, archive'))
  })
})
