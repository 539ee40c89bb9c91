import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { runCommand } from './run_command.ts'

const PROGRAM = { PROGRAM_NODE: process.execPath, PROGRAM: join(process.cwd(), 'src/main.ts') }

function completion(shell: string) {
  return runCommand(['completion', shell])
}

describe('completion bash', () => {
  let script: string
  beforeAll(async () => {
    script = (await completion('bash')).stdout
  })

  /** What bash offers after these words, of which the last is incomplete. bash passes `=` as a word. */
  async function offered(...words: readonly string[]): Promise<string[]> {
    return (await offers(...words)).filter((line) => !line.startsWith('option '))
  }

  /** The same, with the options that the script sets for them. */
  async function offers(...words: readonly string[]): Promise<string[]> {
    using folder = temporaryFolder()
    folder.write('sds.yml', '')
    folder.write('script', script)
    mkdirSync(join(folder.path, 'history'))
    const lines = [
      'sds-exporter() { "$PROGRAM_NODE" "$PROGRAM" "$@"; }',
      'source ./script',
      // Outside of an interactive shell there is nothing to set.
      'compopt() { while (($# > 0)); do printf "option %s\\n" "$2"; shift 2; done; }',
      'COMP_WORDS=("$@")',
      'COMP_CWORD=$(($# - 1))',
      '_sds_exporter',
      'printf "%s\\n" "$' + '{COMPREPLY[@]}"',
    ]
    const args = ['-c', lines.join('\n'), 'bash', 'sds-exporter', ...words]
    const { stdout, stderr } = await run('bash', args, { cwd: folder.path, env: PROGRAM })
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
    [['check', 'sds'], ['sds.yml']],
    [['check', '--js'], ['--json']],
    [['backfill', '--output-dir', '=', 'hi'], ['history']],
    [['rules', '--out', '=', 'hi'], ['history']],
    [['nodes', '--system', '=', ''], []],
    [['nodes', '--system', '=', 'check', '--js'], ['--json']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
    [['check', '--tea'], []],
    [['help', 'pro'], ['providers']],
    [
      ['help', 'providers', ''],
      ['list', 'delete', '--help'],
    ],
  ])('after %j offers %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected)
  })

  test.each([[['check', '--config.file', '=', 'sds']], [['check', 'sds']], [['rules', '--out', '=', 'hi']]])(
    'after %j offers names of files: spaces are quoted, folders end with a slash',
    async (words) => {
      expect(await offers(...words)).toContain('option filenames')
    },
  )

  test('offers every command', async () => {
    const commands = (await offered('')).filter((word) => !word.startsWith('-'))
    expect(commands).toContain('version')
    const { stdout } = await runCommand(['--help'])
    for (const command of commands) expect(stdout).toContain(`  ${command} `)
  })
})

test.each(['zsh', 'fish'])('completion %s asks the program', async (shell) => {
  const { code, stdout } = await completion(shell)
  expect(code).toBe(0)
  expect(stdout).toContain('sds-exporter complete -- ')
})

/** What the program offers after these words, with descriptions. */
async function offeredLines(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand(['complete', '--', ...words])
  return stdout.split('\n').filter((line) => line !== '')
}

test('zsh and fish, which do not split words at "=", get whole words, and descriptions', async () => {
  expect(await offeredLines('serve', '--log.level=d')).toEqual(['--log.level=debug'])
  expect(await offeredLines('serve', '--log.l')).toEqual(['--log.level=\tminimum severity of log lines'])
  expect(await offeredLines('check', '--config.file=')).toEqual([':file'])
  expect(await offeredLines('dashboards', '--out=')).toEqual([':folder'])
})

test('names of systems are those of the configuration file', async () => {
  using folder = temporaryFolder()
  const systems = ['berlin', 'frankfurt'].map((name) => ({
    name,
    base_url: 'https://a',
    auth: { token: 'x' },
  }))
  const file = folder.write('sds.yml', JSON.stringify({ systems }))
  expect(await offeredLines('nodes', `--config.file=${file}`, '--system=')).toEqual([
    '--system=berlin',
    '--system=frankfurt',
  ])
  expect(await offeredLines('nodes', '--config.file=/none', '--system=')).toEqual([])
})
