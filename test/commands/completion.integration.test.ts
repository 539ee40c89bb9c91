import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'

function completion(shell: string) {
  return run(process.execPath, ['src/main.ts', 'completion', shell])
}

describe('completion bash', () => {
  let script: string
  beforeAll(async () => {
    script = (await completion('bash')).stdout
  })

  /** What bash offers after these words, of which the last is incomplete. bash passes `=` as a word. */
  async function offered(...words: readonly string[]): Promise<string[]> {
    using folder = temporaryFolder()
    folder.write('sds.yml', '')
    folder.write('script', script)
    const lines = [
      'source ./script',
      // Outside of an interactive shell there is nothing to set.
      'compopt() { :; }',
      'COMP_WORDS=("$@")',
      'COMP_CWORD=$(($# - 1))',
      '_sds_exporter',
      'printf "%s\\n" "$' + '{COMPREPLY[@]}"',
    ]
    const args = ['-c', lines.join('\n'), 'bash', 'sds-exporter', ...words]
    const { stdout, stderr } = await run('bash', args, { cwd: folder.path })
    expect(stderr).toBe('')
    return stdout.split('\n').filter((line) => line !== '')
  }

  test.each([
    [['se'], ['serve']],
    [
      ['providers', ''],
      ['list', 'delete', '--help'],
    ],
    [
      ['serve', '--log'],
      ['--log.level=', '--log.format='],
    ],
    [
      ['serve', '--log.level', '='],
      ['debug', 'info', 'warn', 'error'],
    ],
    [['serve', '--log.level', '=', 'd'], ['debug']],
    [['serve', '--log.level', 'd'], ['debug']],
    [['demo', '--scenario', '=', 'node'], ['node-down']],
    [['check', '--config.file', '=', 'sds'], ['sds.yml']],
    [['nodes', '--system', '=', ''], []],
    [['nodes', '--system', '=', 'check', '--js'], ['--json']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
    [['check', '--tea'], []],
  ])('after %j offers %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected)
  })

  test('offers every command', async () => {
    const commands = (await offered('')).filter((word) => !word.startsWith('-'))
    expect(commands).toContain('version')
    const { stdout } = await run(process.execPath, ['src/main.ts', '--help'])
    for (const command of commands) expect(stdout).toContain(`  ${command} `)
  })
})

describe('completion zsh', () => {
  test('has a function for each command, with flags, values and descriptions', async () => {
    const { code, stdout } = await completion('zsh')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^#compdef sds-exporter\n/)
    expect(stdout).toContain('\n_sds_exporter_providers_list() {\n')
    expect(stdout).toContain("'*--log.level=[minimum severity of log lines]:level:(debug info warn error)'")
    expect(stdout).toMatch(/'\*--config\.file=\[configuration file \(YAML\)\]:file:_files'/)
    expect(stdout).toContain('serve\\:"poll the configured systems and serve /metrics"')
  })
})

describe('completion fish', () => {
  test('has a line for each command and flag', async () => {
    const { code, stdout } = await completion('fish')
    expect(code).toBe(0)
    expect(stdout).toContain(
      "complete -c sds-exporter -n '__fish_seen_subcommand_from serve' -l log.level -x -a 'debug info warn error' -d ",
    )
    expect(stdout).toContain(
      "-n '__fish_seen_subcommand_from providers; and __fish_seen_subcommand_from list' -l json -d ",
    )
    expect(stdout).toContain("-n '__fish_use_subcommand' -a serve -d ")
    for (const line of stdout.trimEnd().split('\n').slice(1))
      expect(line).toMatch(/^complete -c sds-exporter /)
  })
})
