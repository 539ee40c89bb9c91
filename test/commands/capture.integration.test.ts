import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../api/client_setup.ts'
import { temporaryFolder } from '../support/folders.ts'
import { startProcess } from '../support/processes.ts'
import { waitFor } from '../support/wait.ts'
import { runCommand } from './run_command.ts'

const program = (...args: readonly string[]) => runCommand(args)

/** A configuration without limits that matter here. */
function configOf(url: string, perSecond = 1000): string {
  const auth = '{username: monitor, password: emulator}'
  return `systems: [{name: frankfurt-prod, base_url: "${url}", auth: ${auth}}]\nlimits: {requests_per_second: ${perSecond}}\n`
}

describe('capture', () => {
  test('writes a recording without names', async () => {
    const size = { pools: 1, nodes: 2, namespaces: 2, buckets: 1 }
    await using emulator = await startEmulator({ profile: 'modern', ...size })
    using folder = temporaryFolder()
    const config = folder.write('sds-exporter.yml', configOf(emulator.url))
    const file = `${folder.path}/system.jsonl`
    const captured = await program('capture', `--config.file=${config}`, `--output=${file}`)
    expect({ code: captured.code, stderr: captured.stderr }).toEqual({ code: 0, stderr: '' })
    expect(captured.stdout).toMatch(/wrote .*: \d+ requests, 0 refused, 0 without a response/)
    const names = emulator.pools.flatMap(({ id, name, nodes }) => {
      return [id.slice(-36), ` ${name}:`, `"${name}"`, ...nodes]
    })
    const before = readFileSync(file, 'utf8')
    const again = await program('capture', `--config.file=${config}`, `--output=${file}`)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('or replace it with --force') })
    expect(readFileSync(file, 'utf8')).toBe(before)
    const [header, ...exchanges] = before.trimEnd().split('\n')
    expect(JSON.parse(header ?? '').versions).toEqual([expect.stringContaining('4.3.0.0.')])
    const requests = exchanges.map((line) => JSON.stringify(JSON.parse(line).request))
    expect(new Set(requests).size).toBe(requests.length)
    const operations = exchanges.map((line) => JSON.parse(line).request.operation)
    expect(operations).toEqual(
      expect.arrayContaining(['pools', 'nodes', 'forecast', 'history', 'query', 'namespaces', 'inventory']),
    )

    for (const name of [...names, 'frankfurt-prod', '127.0.0.1'])
      for (const written of [before, captured.stdout]) expect(written).not.toContain(name)
  })

  test.each(['status:403@nodes', 'html@nodes'])(
    'with the fault %s the others are recorded',
    async (fault) => {
      const small = { profile: 'modern', pools: 1, nodes: 1 } as const
      await using emulator = await startEmulator({ ...small, faults: [fault] })
      using folder = temporaryFolder()
      const config = folder.write('sds-exporter.yml', configOf(emulator.url))
      // The environment names the file, as for other commands.
      const args = ['capture', `--output=${folder.path}/a.jsonl`]
      const { stdout } = await runCommand(args, { env: { SDS_CONFIG_FILE: config } })
      expect(stdout).toMatch(/\d{2} requests, \d refused, 0 without a response/)
      expect(readFileSync(`${folder.path}/a.jsonl`, 'utf8')).toContain('"path":"/license"')
    },
  )

  test('of a release whose ranges are wrong, no query has a range in the past', async () => {
    await using emulator = await startEmulator({ profile: 'range-defect', pools: 1, nodes: 1 })
    using folder = temporaryFolder()
    const config = folder.write('sds-exporter.yml', configOf(emulator.url))
    const file = `${folder.path}/a.jsonl`
    expect(await program('capture', `--config.file=${config}`, `--output=${file}`)).toMatchObject({ code: 0 })
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('|> range(start: -')
    expect(text).not.toContain(', stop: ')
  })

  test('an interrupted one writes what was recorded', async () => {
    await using emulator = await startEmulator({ profile: 'modern', pools: 1, nodes: 1 })
    using folder = temporaryFolder()
    const config = folder.write('sds-exporter.yml', configOf(emulator.url, 1))
    const file = folder.write('system.jsonl', '')
    const args = ['src/main.ts', 'capture', `--config.file=${config}`, `--output=${file}`, '--force']
    const child = await startProcess(process.execPath, args)
    await waitFor(() => emulator.log.count('nodes') > 0, { what: 'the nodes of a pool' })
    child.kill('SIGINT')
    expect(await child.exited).toMatchObject({ code: 1 })
    const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(JSON.parse(header ?? '')).toMatchObject({ recording: 1, complete: false })
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('request')
    expect(emulator.log.count('logout')).toBe(1)
  })

  test.each([
    [['capture', '--config.file=none.yml'], 'capture needs --output'],
    [['emulate', '--from=x.jsonl', '--scenario=slow'], '--scenario has no effect with --from'],
    [['emulate', '--from=x.jsonl', '--data-ports'], '--data-ports has no effect with --from'],
    [['emulate', '--from=x.jsonl', '--seed=a'], '--seed has no effect with --from'],
  ])('%j is a usage error', async (args, words) => {
    expect(await program(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(words) })
  })

  test('a file that is no recording is refused with the number of the line', async () => {
    using folder = temporaryFolder()
    const file = folder.write('x.jsonl', '{"recording":2}\n')
    const stderr = expect.stringContaining('is not a recording: line 1 is not the header')
    expect(await program('emulate', `--from=${file}`)).toMatchObject({ code: 1, stderr })
  })
})
