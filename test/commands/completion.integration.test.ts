import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkOf } from '../../scripts/tools/table.ts'
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

  // Words that bash splits at "="; what is offered for them is tested below.
  test.each([
    [['serve', '--log.level', '=', 'd'], ['debug']],
    [['check', '--config.file', '=', 'sds'], ['sds.yml']],
    [['dashboards', '--out', '=', 'hi'], ['history']],
    [['nodes', '--system', '=', 'check', '--js'], ['--json']],
  ])('after %j offers %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected)
  })

  test('offers names of files: spaces are quoted, folders end with a slash', async () => {
    expect(await offers('check', '--config.file', '=', 'sds')).toContain('option filenames')
  })

  test('offers every command', async () => {
    const commands = (await offered('')).filter((word) => !word.startsWith('-'))
    expect(commands).toContain('version')
    const { stdout } = await runCommand(['--help'])
    for (const command of commands) expect(stdout).toContain(`  ${command} `)
  })
})

/** A folder with the program in `bin`, the script of a shell, and files to complete. */
async function folderFor(shell: string, script: string) {
  const folder = temporaryFolder()
  mkdirSync(join(folder.path, 'bin'))
  mkdirSync(join(folder.path, 'history'))
  folder.write('sds.yml', '')
  folder.write(script, (await completion(shell)).stdout)
  const program = folder.write('bin/sds-exporter', '#!/bin/sh\nexec "$PROGRAM_NODE" "$PROGRAM" "$@"\n')
  chmodSync(program, 0o755)
  const env = { ...PROGRAM, HOME: folder.path, PATH: `${join(folder.path, 'bin')}:${process.env['PATH']}` }
  return { folder, options: { cwd: folder.path, env } }
}

const COMPLETED = [
  ['sds-exporter ser', 'sds-exporter serve'],
  ['sds-exporter check --config.file sd', 'sds-exporter check --config.file sds.yml'],
  ['sds-exporter dashboards --out=hi', 'sds-exporter dashboards --out=history/'],
] as const

test.each(COMPLETED)('in fish, %j becomes %j', async (line, expected) => {
  const { folder, options } = await folderFor('fish', 'script.fish')
  using _ = folder
  const script = `source script.fish; complete -C '${line}'`
  const { stdout, stderr } = await run(linkOf('fish'), ['--no-config', '-c', script], options)
  expect(stderr).toBe('')
  const words = stdout.match(/^[^\t\n]+/gm)
  expect(words).toEqual([expected.slice(expected.lastIndexOf(' ') + 1)])
})

const IN_FPATH = 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D'
const SOURCED = 'autoload -U compinit; compinit -u -D; source ./_sds-exporter'

test.each([
  ...COMPLETED.map(([line, expected]) => [IN_FPATH, line, expected] as const),
  ...COMPLETED.slice(0, 1).map(([line, expected]) => [SOURCED, line, expected] as const),
])('in zsh with %j, %j becomes %j', async (how, line, expected) => {
  const { folder, options } = await folderFor('zsh', '_sds-exporter')
  using _ = folder
  folder.write('setup.zsh', `${how}\nbindkey -e\nPS1= PS2=\nprint -r -- REA''DY\n`)
  // After the completion the line gets a command in front of it, which prints it.
  const script = [
    'zmodload zsh/zpty',
    'zpty shell TERM=dumb zsh -f -i',
    "zpty -w shell 'source ./setup.zsh'",
    "zpty -r shell before '*READY*'",
    `zpty -w -n shell $'${line}\\t\\x01print -r -- "COMPL""ETED<\\x05>"\\n'`,
    "zpty -r shell after '*COMPLETED<*>*'",
    'print -r -- "$after"',
  ].join('\n')
  folder.write('script.zsh', script)
  const { stdout } = await run(linkOf('zsh'), ['-f', 'script.zsh'], options)
  // zsh removes a space or slash that it has added when the cursor leaves it.
  expect(/COMPLETED<(.*?)[ /]?>/.exec(stdout)?.[1]).toBe(expected.replace(/\/$/, ''))
})

/** What the program offers after these words, with descriptions. */
async function offeredLines(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await runCommand(['complete', '--', ...words])
  return stdout.split('\n').filter((line) => line !== '')
}

test.each([
  ['se', ['serve']],
  ['providers ', ['list', 'delete', '--help']],
  ['serve --log', ['--log.level=', '--log.format=']],
  ['serve --log.level=', ['debug', 'info', 'warn', 'error'].map((level) => `--log.level=${level}`)],
  ['serve --log.level d', ['debug']],
  ['demo --scenario=node', ['--scenario=node-down']],
  ['completion ', ['bash', 'zsh', 'fish', '--help']],
  ['check --tea', []],
  ['help pro', ['providers']],
  ['help providers ', ['list', 'delete', '--help']],
])('after the words %j, %j is offered', async (words, expected) => {
  const lines = await offeredLines(...words.split(' '))
  expect(lines.map((line) => line.split('\t')[0])).toEqual(expected)
})

test('zsh and fish, which do not split words at "=", get whole words, and descriptions', async () => {
  expect(await offeredLines('serve', '--log.level=d')).toEqual(['--log.level=debug'])
  expect(await offeredLines('serve', '--log.l')).toEqual(['--log.level=\tminimum severity of log lines'])
  expect(await offeredLines('check', '--config.file=')).toEqual([':file'])
  expect(await offeredLines('dashboards', '--out=')).toEqual([':folder'])
})
