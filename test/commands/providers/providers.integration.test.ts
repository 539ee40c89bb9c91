import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAdminClient } from '../../../src/api/admin_client.ts'
import { askLine, askSecret, type Terminal } from '../../../src/commands/cli/output/terminal.ts'
import { withToken } from '../../../src/commands/providers/caller.ts'
import { deleteWithConfirmation } from '../../../src/commands/providers/providers.ts'
import type { TlsConfig } from '../../../src/config/config.ts'
import { silentLog } from '../../../src/log.ts'
import { Secret } from '../../../src/values/secret.ts'
import {
  ADMIN,
  MONITOR,
  providerIds,
  SECURITY,
  type StartedEmulator,
  startEmulator,
} from '../../server/admin/admin_setup.ts'
import { startSystemStub } from '../../server/admin/system_stub.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { freePort } from '../../support/ports.ts'
import { startProcess } from '../../support/processes.ts'
import { waitFor, waitForAssertion } from '../../support/wait.ts'
import { runCommand } from '../run_command.ts'

let emulator: StartedEmulator
let folder: Folder
let file: string
beforeEach(async () => {
  emulator = await startEmulator()
  folder = temporaryFolder()
  file = writeConfig({ frankfurt: emulator.url })
})
afterEach(async () => {
  await emulator.stop()
  folder[Symbol.dispose]()
})

function writeConfig(urls: Readonly<Record<string, string>>): string {
  const auth = { token: 'the-exporters-own-token' }
  const systems = Object.entries(urls).map(([name, base_url]) => ({ name, base_url, auth }))
  return folder.write('sds-exporter.yml', JSON.stringify({ systems, poll: { timeout: '30s' } }))
}

/** Runs the command in a child process without a terminal. */
function providers(token: string | undefined, ...args: string[]) {
  const env = { SDS_TOKEN: token }
  return runCommand(['providers', ...args, `--config.file=${file}`], { env })
}

describe('providers list', () => {
  test('prints names and ids', async () => {
    const [first] = await providerIds(emulator)
    const { code, stdout, stderr } = await providers(MONITOR, 'list')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'NAME                            ID',
      `corporate-ldap                  ${first}`,
    ])
  })

  test('prints JSON in the format of the system', async () => {
    const { code, stdout } = await providers(MONITOR, 'list', '--json')
    expect(code).toBe(0)
    const { authnprovider } = JSON.parse(stdout)
    expect(authnprovider).toHaveLength(4)
    expect(authnprovider[2]).toMatchObject({ name: 'Forschung & Entwicklung <Köln>', link: { rel: 'self' } })
  })

  test('prints the error of the system', async () => {
    const { code, stdout, stderr } = await providers('wrong-token', 'list')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.match(/HTTP \d+/g)).toEqual(['HTTP 302'])
    expect(stderr).toContain('get a new token by a login, or use --username')
    expect(stderr).not.toContain('wrong-token')
  })

  test('names a system that cannot be reached', async () => {
    file = writeConfig({ frankfurt: `http://127.0.0.1:${await freePort()}` })
    const { code, stderr } = await providers(MONITOR, 'list')
    expect(code).toBe(1)
    expect(stderr).toContain('system frankfurt, providers')
    expect(stderr).toContain('connection refused')
  })

  test('requires --system if several systems are configured', async () => {
    file = writeConfig({ frankfurt: emulator.url, paris: 'http://127.0.0.1:1' })
    const unsaid = await providers(MONITOR, 'list')
    expect(unsaid).toMatchObject({ code: 2, stdout: '' })
    expect(unsaid.stderr).toContain('--system (frankfurt, paris)')
    expect(await providers(MONITOR, 'list', '--system=rome')).toMatchObject({ code: 2 })
    expect(await providers(MONITOR, 'list', '--system=frankfurt')).toMatchObject({ code: 0 })
  })

  test('uses no token from the configuration or a flag', async () => {
    const { code, stderr } = await providers(undefined, 'list')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('SDS_TOKEN') })
    expect(await providers(MONITOR, 'list', '--token=x')).toMatchObject({ code: 2 })
    expect(emulator.log.count()).toBe(0)
  })
})

describe('providers delete', () => {
  test('deletes with --yes, and writes a line to the log', async () => {
    const [id = ''] = await providerIds(emulator)
    const { code, stdout, stderr } = await providers(SECURITY, 'delete', id, '--yes')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Deleted corporate-ldap from frankfurt.\n' })
    expect(await providerIds(emulator)).not.toContain(id)
    expect(stderr).toContain('audit: deletion of authentication provider')
    expect(stderr).toContain(`provider_id=${id} provider=corporate-ldap`)
    expect(stderr).toContain('user=security')
    expect(stderr).toContain('outcome=deleted status=200')
    expect(stderr).not.toContain(SECURITY)
    expect(emulator.log.tokens()).toEqual(new Set([ADMIN, SECURITY]))
  })

  test('prints only a JSON object with --json', async () => {
    const [id = ''] = await providerIds(emulator)
    const { code, stdout } = await providers(SECURITY, 'delete', id, '--json', '--yes')
    const facts = { system: 'frankfurt', id, name: 'corporate-ldap' }
    expect([code, JSON.parse(stdout)]).toEqual([0, facts])
    expect(await providerIds(emulator)).not.toContain(id)
  })

  test('requires a terminal or --yes', async () => {
    const [id = ''] = await providerIds(emulator)
    const { code, stderr } = await providers(SECURITY, 'delete', id)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') })
    expect(emulator.log.count('delete')).toBe(0)
  })

  test.each([
    ['urn:storageos:AuthnProvider:none:', 1, 'no provider with the id urn:storageos:AuthnProvider:none:'],
    ['corporate-ldap', 1, 'no provider with the id corporate-ldap'],
    ['..', 2, 'cannot be part of a path'],
  ])('sends no deletion of %s, which is no id', async (text, exit, message) => {
    const { code, stderr } = await providers(SECURITY, 'delete', text, '--yes')
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)])
    expect(emulator.log.count('delete')).toBe(0)
  })

  test('prints the error of the system if the account may not delete', async () => {
    const [id = ''] = await providerIds(emulator)
    const { code, stderr } = await providers(ADMIN, 'delete', id, '--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('HTTP 403, code 3000')
    expect(stderr).toContain('use an account that may delete authentication providers')
    expect(stderr).not.toContain('SYSTEM_MONITOR')
    expect(stderr).toContain('outcome=refused')
  })

  test('reads the list again when the response was lost', async () => {
    const [id = ''] = await providerIds(emulator)
    emulator.setFaults(['reset@delete'])
    const { code, stderr } = await providers(SECURITY, 'delete', id, '--yes')
    expect(code).toBe(1)
    expect(stderr).toContain('The provider is no longer in the list')
    expect(stderr).toContain('outcome=unknown')
    expect(emulator.log.count('delete')).toBe(1)
  })

  test('that was sent is followed to its end when the command is interrupted', async () => {
    emulator.setFaults(['slow-headers:1@delete'])
    const [id = ''] = await providerIds(emulator)
    const args = ['src/main.ts', 'providers', 'delete', id, '--yes', `--config.file=${file}`]
    await using child = await startProcess(process.execPath, args, { env: { SDS_TOKEN: SECURITY } })
    await waitFor(() => emulator.log.count('delete') === 1, { what: 'the deletion', detail: child.stderr })
    child.kill('SIGINT')
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(child.stdout()).toContain('Deleted ')
    expect(child.stderr()).toContain('outcome=deleted')
  })
})

describe('providers --username', () => {
  const withPassword = (password: string | undefined, ...args: string[]) => {
    const env = { SDS_PASSWORD: password, SDS_TOKEN: undefined }
    return runCommand(['providers', ...args, `--config.file=${file}`], { env })
  }

  test('logs in, and logs out at the end', async () => {
    const { code, stdout, stderr } = await withPassword('emulator', 'list', '--username=monitor')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('corporate-ldap')
    expect(emulator.log.logins()).toEqual({ granted: 1, refused: 0 })
    expect(emulator.liveSessions('monitor')).toBe(0)
    const [id = ''] = await providerIds(emulator)
    const deleted = await withPassword('emulator', 'delete', id, '--yes', '--username=security')
    expect(deleted).toMatchObject({ code: 0, stdout: 'Deleted corporate-ldap from frankfurt.\n' })
    expect(emulator.liveSessions('security')).toBe(0)
  })

  test('reports a refused login, without the password', async () => {
    const { code, stdout, stderr } = await withPassword('canary-4711', 'list', '--username=monitor')
    expect(stderr).toContain('correct the user name or the password')
    expect(stderr).not.toContain('use --username')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('HTTP 401')
    expect(stderr).not.toContain('4711')
    expect(emulator.log.logins()).toEqual({ granted: 0, refused: 1 })
  })

  test('needs a terminal or SDS_PASSWORD', async () => {
    const { code, stderr } = await withPassword(undefined, 'list', '--username=monitor')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('SDS_PASSWORD') })
    expect(emulator.log.count()).toBe(0)
  })

  test('logs out when it is interrupted', async () => {
    emulator.setFaults(['half-open@providers'])
    const env = { SDS_PASSWORD: 'emulator', SDS_TOKEN: undefined }
    const args = ['src/main.ts', 'providers', 'list', '--username=monitor', `--config.file=${file}`]
    await using child = await startProcess(process.execPath, args, { env })
    await waitFor(() => emulator.log.count('providers') === 1, { what: 'the list', detail: child.stderr })
    expect(emulator.liveSessions('monitor')).toBe(1)
    child.kill('SIGINT')
    expect(await child.exited).toEqual({ code: 1, signal: null })
    expect(child.stderr()).toContain('sds-exporter: interrupted\n')
    expect(emulator.liveSessions('monitor')).toBe(0)
  })

  test('asks for the password on a terminal', async () => {
    const { terminal, press, shown } = fakeTerminal()
    const client = clientOf()
    const tokens: Secret[] = []
    const credentials = { username: 'security', environment: {}, terminal }
    const target = { system: 'frankfurt', client, signal: NOT_ABORTED }
    const done = withToken(credentials, target, async (token) => {
      tokens.push(token)
      expect(emulator.liveSessions('security')).toBe(1)
    })
    press('emulator\r')
    await done
    await client.close()
    expect(shown()).toBe('[hidden]Password of security for frankfurt (input is hidden): \n')
    expect(tokens).toHaveLength(1)
    expect(emulator.liveSessions('security')).toBe(0)
  })
})

const NOT_ABORTED = new AbortController().signal

function clientOf() {
  const limits = { concurrency: 4, requestsPerSecond: 100, maxResponseBytes: 1_000_000 }
  const system = { name: 'frankfurt', baseUrls: [emulator.url], tls: NO_TLS }
  return createAdminClient({ system, limits, timeoutMs: 30_000 })
}

/** A terminal with simulated key presses and recorded output. */
function fakeTerminal() {
  const input = new PassThrough()
  const output = new PassThrough()
  const raw: boolean[] = []
  let shown = ''
  const tty = Object.assign(input, {
    isTTY: true,
    isRaw: false,
    setRawMode: (mode: boolean) => {
      shown += mode ? '[hidden]' : ''
      raw.push(mode)
    },
  }) as unknown as NodeJS.ReadStream
  output.on('data', (chunk) => {
    shown += chunk
  })
  const terminal: Terminal = { input: tty, output, signal: NOT_ABORTED }
  return { terminal, press: (keys: string) => input.write(keys), shown: () => shown, raw }
}

describe('a terminal', () => {
  test('reads a secret without echo and handles backspace', async () => {
    const { terminal, press, shown, raw } = fakeTerminal()
    const answer = askSecret(terminal, 'Token: ')
    press('sec')
    press('x\u007fret')
    press('\r')
    expect(await answer).toBe('secret')
    // Echo is disabled before the prompt, because input may arrive earlier.
    expect(shown()).toBe('[hidden]Token: \n')
    expect(raw).toEqual([true, false])
  })

  test('cancels on Ctrl+C and restores the terminal mode', async () => {
    const { terminal, press, raw } = fakeTerminal()
    const answer = askSecret(terminal, 'Token: ')
    press('abc\u0003')
    await expect(answer).rejects.toThrow('Cancelled')
    expect(raw).toEqual([true, false])
  })

  test('reads a line, and cancels at the end of the input', async () => {
    const first = fakeTerminal()
    const answer = askLine(first.terminal, 'Name: ')
    first.press('multi-domain forest\r')
    expect(await answer).toBe('multi-domain forest')
    const second = fakeTerminal()
    const cancelled = askLine(second.terminal, 'Name: ')
    second.press('\u0003')
    await expect(cancelled).rejects.toThrow('Cancelled')
  })
})

test('invisible characters of names and ids are escaped on the terminal, and kept in JSON', async () => {
  const provider = { id: 'urn:a\u2066:', name: '\u202epadl\u009b31m\u200b' }
  await using stub = await startSystemStub(provider)
  file = writeConfig({ frankfurt: stub.url })
  const { stdout } = await providers(SECURITY, 'list')
  expect(stdout).toContain('\n\\u202epadl\\u009b31m\\u200b  urn:a\\u2066:\n')
  const json = await providers(SECURITY, 'list', '--json')
  expect(JSON.parse(json.stdout).authnprovider).toMatchObject([provider])
})

describe('an interactive deletion', () => {
  /** @param rename replaces the names of the providers in responses of the system */
  async function ask(typed: (id: string) => string, rename = (name: string) => name) {
    const { terminal, press, shown } = fakeTerminal()
    const [id = ''] = await providerIds(emulator)
    const client = clientOf()
    const token = new Secret(SECURITY)
    const renaming: typeof client = {
      ...client,
      providers: async (...args) =>
        (await client.providers(...args)).map((provider) => ({ ...provider, name: rename(provider.name) })),
    }
    const target = { system: 'frankfurt', client: renaming, token, id }
    const done = deleteWithConfirmation({
      ...target,
      signal: NOT_ABORTED,
      flags: {},
      log: silentLog,
      terminal,
    })
    const ended = Promise.allSettled([done]).then(() => true)
    await waitForAssertion(async () => {
      if (!(await Promise.race([ended, false]))) expect(shown()).toContain('Type the ')
    })
    press(`${typed(id)}\r`)
    const outcome = await done.then(() => 'deleted').catch(String)
    await client.close()
    return { outcome, shown: shown(), left: await providerIds(emulator), id }
  }

  test('shows the provider and asks for its name', async () => {
    const { outcome, shown, left, id } = await ask(() => 'corporate-ldap')
    expect(outcome).toBe('deleted')
    expect(shown).toContain('System:    frankfurt\nProvider:  corporate-ldap\n')
    expect(left).not.toContain(id)
  })

  test.each(['corporate', '', 'multi-domain forest'])('deletes nothing with the name "%s"', async (word) => {
    const { outcome, left, id } = await ask(() => word)
    expect(outcome).toContain('nothing was deleted')
    expect(left).toContain(id)
    expect(emulator.log.count('delete')).toBe(0)
  })

  test.each([
    ['the same', () => 'ldap'],
    ['the same but for blanks', (name: string) => (name === 'corporate-ldap' ? 'ldap ' : 'ldap')],
  ])('asks for the id if another provider has %s name', async (_, rename) => {
    const byName = await ask(() => 'ldap', rename)
    expect(byName.shown).toContain('Type the id of the provider')
    expect(byName.outcome).toContain('this is not the id of the provider: nothing was deleted')
    expect(byName.left).toContain(byName.id)
    const byId = await ask((id) => id, rename)
    expect(byId.outcome).toBe('deleted')
    expect(byId.left).not.toContain(byId.id)
  })
})

const NO_TLS: TlsConfig = {
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  serverName: undefined,
  insecureSkipVerify: false,
}
