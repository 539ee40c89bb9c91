import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FAULT_NAMES } from '../../src/emulator/faults/table.ts'
import { serveHttp } from '../api/http/raw_server.ts'
import { temporaryFolder } from '../support/folders.ts'
import { request } from '../support/http.ts'
import { run } from '../support/processes.ts'
import { createEmulator } from '../support/programs/emulator.ts'
import { waitFor } from '../support/wait.ts'
import { pollEverySecond } from './exporter_setup.ts'
import { type Served, serve } from './serve.ts'

const FLAGS = [
  '--log.level=debug',
  '--log.format=json',
  '--web.enable-lifecycle',
  '--admin.listen-address=127.0.0.1:0',
]
const PAGES = [
  ['GET', '/'],
  ['GET', '/metrics'],
  ['GET', '/-/healthy'],
  ['GET', '/-/ready'],
  ['GET', '/sd'],
  ['GET', '/probe?system=reset'],
  ['GET', '/history?system=reset'],
  ['GET', '/api/v1/status'],
  ['GET', '/config'],
  ['GET', '/debug'],
  ['POST', '/-/reload'],
] as const

const ADMIN_PAGES = [
  ['GET', '/'],
  ['GET', '/systems'],
  ['GET', '/vdc/admin/authnproviders'],
  ['GET', '/systems/reset/vdc/admin/authnproviders.json'],
  ['DELETE', '/systems/reset/vdc/admin/authnproviders/x.json'],
] as const

/** The headers and bodies of all pages of both listeners. */
async function everyPage({ url, child }: Served): Promise<string> {
  const [, adminUrl = ''] = await child.waitForOutput(
    /"url":"([^"]+)","msg":"listening for provider administration"/,
  )
  const admin = ADMIN_PAGES.map(async ([method, path]) => {
    const { headers, text } = await request(method, `${adminUrl}${path}`)
    return `${JSON.stringify(headers)}\n${text}`
  })
  const answers = PAGES.map(async ([method, path]) => {
    const { headers, text } = await request(method, `${url}${path}`)
    return `${JSON.stringify(headers)}\n${text}`
  })
  const forms = ['text/plain', 'application/openmetrics-text; version=1.0.0'].map(async (accept) => {
    const { body } = await request('GET', `${url}/metrics`, {
      headers: { accept, 'accept-encoding': 'gzip' },
    })
    return gunzipSync(body).toString()
  })
  return (await Promise.all([...answers, ...forms, ...admin])).join('\n')
}

/** The encodings in which output may contain a secret. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    JSON.stringify(secret).slice(1, -1),
    createHash('sha256').update(secret).digest('hex'),
  ]
}

function expectHidden(output: string, secrets: Iterable<string>): void {
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      const at = output.indexOf(form)
      expect(at < 0 ? '' : output.slice(Math.max(0, at - 200), at + 200)).toBe('')
    }
  }
}

/** An error body with the text: in turn XML, JSON, and JSON with unnecessary escapes. */
function errorBodyWith(text: string, turn: number): string {
  if (turn % 3 === 0) return `<error><description>${text}</description></error>`
  const json = JSON.stringify({ code: 1, description: text, details: text })
  return turn % 3 === 1
    ? json
    : json.replaceAll(/[+=/]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
}

describe('tokens and passwords', () => {
  test('are hidden with every fault, on every page and in the debug log', async () => {
    using folder = temporaryFolder()
    const emulators = FAULT_NAMES.map((name) => ({
      name,
      emulator: createEmulator({
        listenAddress: '127.0.0.1:0',
        profile: 'classic',
        seed: name,
        pools: 1,
        nodes: 2,
      }),
    }))
    await Promise.all(emulators.map(({ emulator }) => emulator.start()))
    const auth = 'auth: {username: monitor, password: emulator}'
    const list = emulators.map(
      ({ name, emulator }) => `  - {name: ${name}, base_url: "${emulator.url}", ${auth}}`,
    )
    const good = `systems:\n${list.join('\n')}\n${pollEverySecond()}`
    const file = folder.write('sds.yml', good)
    const output: string[] = []
    {
      await using served = await serve(file, { flags: FLAGS })
      await waitFor(() => emulators.every(({ emulator }) => emulator.log.count('nodes') > 0), {
        what: 'all first polls',
      })
      output.push(await everyPage(served))
      const before = new Map(emulators.map(({ name, emulator }) => [name, emulator.log.count()]))
      for (const { name, emulator } of emulators) emulator.setFaults([name])
      const isActive = ({ name, emulator }: (typeof emulators)[number]) =>
        emulator.log.count() >= (before.get(name) ?? 0) + 1
      await waitFor(() => emulators.every(isActive), { what: 'a request with every fault' })
      await served.child.waitForOutput(/poll failed/)
      output.push(await everyPage(served))
      folder.write('sds.yml', good.replaceAll('password: emulator', 'password: emulator, token: ALSO-MARKED'))
      output.push(await everyPage(served))
      for (const { emulator } of emulators) emulator.setFaults([])
      await served.child.stop()
      output.push(served.child.stdout(), served.child.stderr())
    }
    const tokens = emulators.flatMap(({ emulator }) => [...emulator.log.tokens()])
    expect(tokens.length).toBeGreaterThanOrEqual(FAULT_NAMES.length)
    expectHidden(output.join('\n'), [...tokens, 'monitor:emulator', 'ALSO-MARKED'])
    await Promise.all(emulators.map(({ emulator }) => emulator.stop()))
  })

  test('are hidden when the system returns them in its errors', async () => {
    const secrets = {
      password: 'MARKED/pass+word=1',
      token: 'MARKED-token/2+x==',
      file: 'MARKED-file-3',
      fixed: 'MARKED-fixed-4',
    }
    const statuses = [400, 401, 403, 404, 409, 429, 500, 502, 503]
    let requests = 0
    await using server = await serveHttp((incoming, response) => {
      const { authorization = '', 'x-sds-auth-token': token = '' } = incoming.headers
      const credentials = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
      const isLogin = incoming.url?.endsWith('/login') && requests % 3 !== 0
      requests += 1
      const status = isLogin ? 200 : (statuses[requests % statuses.length] ?? 500)
      // A request with the token of the login follows a login with the password.
      const password = token === secrets.token ? secrets.password : ''
      const texts = [String(token), authorization, credentials, password, encodeURIComponent(String(token))]
      response.writeHead(status, {
        'X-SDS-AUTH-TOKEN': secrets.token,
        Location: `/x?${texts.join('&')}`,
      })
      response.end(errorBodyWith(texts.join(' '), requests))
    })
    using folder = temporaryFolder()
    const tokenFile = folder.write('token', secrets.file)
    const auths = [
      `{username: monitor, password: "${secrets.password}"}`,
      `{token_file: "${tokenFile}"}`,
      `{token: "${secrets.fixed}"}`,
    ]
    const list = auths.flatMap((auth, index) =>
      [1, 2, 3, 4].map(
        (pool) =>
          `  - {name: "s${index}-${pool}", base_url: "${server.url}", auth: ${auth}, pools: [{id: "p${pool}"}]}`,
      ),
    )
    const file = folder.write('sds.yml', `systems:\n${list.join('\n')}\n${pollEverySecond()}`)
    await using served = await serve(file, { flags: FLAGS })
    await waitFor(() => requests > 30, { what: 'more than 30 requests' })
    const pages = await everyPage(served)
    await served.child.stop()
    const results = await Promise.all(
      ['check', 'doctor', 'nodes'].map((command) =>
        run(process.execPath, [
          'src/main.ts',
          command,
          `--config.file=${file}`,
          ...(command === 'doctor' ? ['--system=s0-1'] : []),
        ]),
      ),
    )
    const commands = results.map(({ stdout, stderr }) => `${stdout}\n${stderr}`)
    for (const text of commands) expect(text.trim()).not.toBe('')
    const output = [pages, served.child.stdout(), served.child.stderr(), ...commands].join('\n')
    expect(output).toContain('it says: ')
    expect(output).toContain('<secret>')
    expectHidden(output, [...Object.values(secrets), `monitor:${secrets.password}`])
  })
})
