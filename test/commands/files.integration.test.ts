import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type Folder, temporaryFolder } from '../support/folders.ts'
import { runCommand } from './run_command.ts'

const SYSTEM = 'name: a, base_url: "https://127.0.0.1:1"'

const program = (...args: string[]) => runCommand(args)

function fifo(folder: Folder, name: string): string {
  const path = `${folder.path}/${name}`
  spawnSync('mkfifo', [path])
  return path
}

test.concurrent('a configuration file that is a FIFO is refused at once', async () => {
  using folder = temporaryFolder()
  const file = fifo(folder, 'x')
  const { code, stdout, stderr } = await program('check', `--config.file=${file}`)
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `sds-exporter: ${file}: 1 problem\n  cannot be read: it is a FIFO, not a regular file\n`,
  })
})

describe('a file that the configuration names', () => {
  test.concurrent.each([
    ['token_file', 'auth: {token_file: NAME}', 65_536],
    ['password_file', 'auth: {username: u, password_file: NAME}', 65_536],
    ['ca_file', 'auth: {token: t}, tls_config: {ca_file: NAME}', 1_048_576],
    ['cert_file', 'auth: {token: t}, tls_config: {cert_file: NAME, key_file: gone}', 1_048_576],
    ['key_file', 'auth: {token: t}, tls_config: {cert_file: gone, key_file: NAME}', 1_048_576],
  ])('as %s must be a regular file of limited size', async (key, yaml, limit) => {
    using folder = temporaryFolder()
    fifo(folder, 'pipe')
    folder.write('large', 'x'.repeat(limit + 1))
    const system = (name: string) => `{${SYSTEM}, ${yaml.replace('NAME', name)}}`
    const file = folder.write('sds.yml', `systems: [${system('pipe')}, ${system('large')}]`)
    const { code, stderr } = await program('check', `--config.file=${file}`)
    expect(code).toBe(1)
    expect(stderr).toContain(`${key}: pipe cannot be read: it is a FIFO, not a regular file`)
    expect(stderr).toContain(`${key}: large is too large: ${limit + 1} bytes, the limit is ${limit}`)
  })

  test.concurrent.each([
    ['the web configuration file', 'pipe', 'pipe: 1 problem\n  cannot be read: it is a FIFO'],
    ['its certificate', 'web.yml', 'cert_file: pipe cannot be read: it is a FIFO'],
  ])('as %s must be a regular file', async (_, name, message) => {
    using folder = temporaryFolder()
    fifo(folder, 'pipe')
    folder.write('web.yml', 'tls_server_config: {cert_file: pipe, key_file: gone}')
    const file = folder.write('sds.yml', `systems: [{${SYSTEM}, auth: {token: t}}]`)
    const web = `--web.config.file=${folder.path}/${name}`
    const { code, stderr } = await program('serve', `--config.file=${file}`, web)
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringContaining(message) })
  })
})

describe('a configuration file with', () => {
  const system = (rest: string) => `{${SYSTEM}, auth: {token: t}, ${rest}}`
  const powers = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map(
    (name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`,
  )
  test.concurrent.each([
    ['aliases that expand to many values', `a: &a [1,1,1]\n${powers.join('\n')}`, 'more than 1000 aliases'],
    ['many aliases of one anchor', `- &a 1\n${'- *a\n'.repeat(3_000)}`, 'more than 1000 aliases'],
    ['an alias inside its anchor', 'systems: &a [*a]', 'line 1, column 14 (BAD_ALIAS)'],
    ['deeply nested lists', '['.repeat(9_000), 'nested too deeply'],
    ['deeply nested mappings', '{a: '.repeat(4_000), 'nested too deeply'],
  ])('%s is refused', async (_, text, message) => {
    using folder = temporaryFolder()
    const { code, stderr } = await program('check', `--config.file=${folder.write('sds.yml', text)}`)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) })
  })

  test.concurrent('one anchor that 200 systems share is valid', async () => {
    using folder = temporaryFolder()
    const tls = (index: number) => (index === 0 ? '&tls {insecure_skip_verify: true}' : '*tls')
    const systems = Array.from({ length: 200 }, (_, index) =>
      system(`tls_config: ${tls(index)}`).replace('name: a', `name: a${index}`),
    )
    const file = folder.write('sds.yml', `systems:\n${systems.map((one) => `- ${one}\n`).join('')}`)
    const { code, stdout } = await program('check', `--config.file=${file}`)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('valid (200 systems') })
  })

  test.concurrent('many problems lists the first hundred, and the number of the others', async () => {
    using folder = temporaryFolder()
    const keys = Array.from({ length: 500 }, (_, index) => `key_${index}: 1`)
    const file = folder.write('sds.yml', `systems: [${system('')}]\n${keys.join('\n')}`)
    const { code, stderr } = await program('check', `--config.file=${file}`)
    expect(code).toBe(1)
    expect(stderr).toContain(`${file}: 500 problems\n  line 2: key_0: unknown key\n`)
    expect(stderr).toMatch(/ {2}line 101: key_99: unknown key\n {2}and 400 more problems\n$/)
  })
})
