import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { serve } from '../faults/serve.ts'
import { temporaryFolder } from '../support/folders.ts'
import { runCommand } from './run_command.ts'

/** Runs the command for a file that only its owner can read, unless a mode is given. */
async function check(yaml: string, ...args: string[]) {
  using folder = temporaryFolder()
  const file = folder.write('sds.yml', yaml)
  folder.write('password', 'canary-4711')
  chmodSync(`${folder.path}/password`, 0o644)
  chmodSync(file, 0o600)
  const result = await runCommand(['check', `--config.file=${file}`, ...args])
  return { ...result, file, folder: folder.path }
}

const GOOD = 'systems:\n  - {name: a, base_url: "https://a:4443", auth: {token: abc}}\n'
const BAD = 'systems:\n  - {name: "a b", base_url: "https://a", auth: {}}\nx: 1\n'
const RISKY = `systems:
  - {name: a, base_url: "https://a:443", auth: {token: abc}}
  - name: b
    base_url: http://storage.invalid:4443
    auth: {username: u, password_file: password}
    tls_config: {insecure_skip_verify: true}
`

describe('check', () => {
  test.concurrent('reports a valid file', async () => {
    const { code, stdout, stderr } = await check(GOOD)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const polls = /next polls by "0 \* \* \* \* \*" \(UTC\):( \S+T\d\d:\d\d:00Z,?){3}\n$/
    expect(stdout).toMatch(polls)
    expect(stdout).toContain(': valid (1 system: a)\nnext')
  })

  test.concurrent('reads a file that is an argument', async () => {
    using folder = temporaryFolder()
    const file = folder.write('sds.yml', GOOD)
    chmodSync(file, 0o600)
    const { code, stdout } = await runCommand(['check', file])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${file}: valid (1 system: a)\n`)])
  })

  test.concurrent('warns of systems of a running exporter that a reload removes', async () => {
    using folder = temporaryFolder()
    const file = folder.write('sds.yml', GOOD.replace('name: a', 'name: gone'))
    await using served = await serve(file)
    const { code, stderr } = await check(GOOD, `--exporter.url=${served.url}`)
    expect(code).toBe(0)
    const warning = /^warning: system gone: the system leaves .* amtool silence add .* system=gone $/
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(warning)
    const { code: failed, stderr: reason } = await check(GOOD, `--exporter.url=${served.url}/metrics`)
    expect([failed, reason]).toEqual([1, expect.stringContaining('cannot be read: HTTP 404')])
  })

  test.concurrent('prints every problem with its line and ends with 1', async () => {
    const { code, stdout, stderr } = await check(BAD)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('3 problems')
    for (const place of ['line 2: systems[0].name: ', 'line 2: systems[0].auth: ', 'line 3: x: '])
      expect(stderr).toContain(`\n  ${place}`)
  })

  test.concurrent('warns of a base_url that is probably not the one that is meant', async () => {
    const systems = ['https://a/object', 'https://a:4443', 'https://a:4443/', 'https://[2001:db8::1]'].map(
      (url, index) => `  - {name: s${index}, base_url: "${url}", auth: {token: abc}}\n`,
    )
    const { code, stderr } = await check(`systems:\n${systems.join('')}`)
    expect(code).toBe(0)
    expect(stderr.trimEnd().split('\n')).toEqual([
      'warning: system s0: https://a/object has no port: requests are sent to port 443, but the management API usually listens on port 4443; write https://a:4443, or :443 if this is meant',
      'warning: system s0: https://a/object has a path: all requests are sent below /object; write https://a unless a proxy serves the management API there',
      'warning: system s3: https://[2001:db8::1] has no port: requests are sent to port 443, but the management API usually listens on port 4443; write https://[2001:db8::1]:4443, or :443 if this is meant',
      'warning: system s2: system s1 has the same base_url https://a:4443: it is polled twice; configure each storage system once',
    ])
  })

  test.concurrent('warns of valid settings that are insecure', async () => {
    const { code, stdout, stderr, file, folder } = await check(RISKY)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${file}: valid (2 systems: a, b)\n`)])
    expect(stderr.trimEnd().split('\n')).toEqual([
      `warning: system b: every local user can read the secret in ${folder}/password; remove the permission (chmod o-r, in Kubernetes defaultMode: 0440)`,
      'warning: system b: TLS certificate verification is disabled: the connection can be intercepted; add the CA certificate of the system to tls_config.ca_file and remove insecure_skip_verify',
      'warning: system b: http://storage.invalid:4443: the password and the token are sent unencrypted; use https:// in base_url',
    ])
    expect(stderr).not.toContain('4711')
  })

  test.concurrent('reports a file that cannot be read', async () => {
    const { code, stderr } = await runCommand(['check', '--config.file=/no/such/file'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be read: no such file')])
  })
})
