import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { FAULT_NAMES } from '../../src/emulator/faults/table.ts'
import { MARKED_SECRET, PRIVATE } from '../../src/emulator/resources/namespaces.ts'
import type { Status } from '../../src/status/status.ts'
import { startEmulator } from '../api/client_setup.ts'
import { serveHttp } from '../api/http/raw_server.ts'
import { call } from '../emulator/client.ts'
import { temporaryFolder } from '../support/folders.ts'
import { request } from '../support/http.ts'
import { run } from '../support/processes.ts'
import { waitFor } from '../support/wait.ts'
import { type Served, serve } from './serve.ts'

const ADMIN = '--admin.listen-address=127.0.0.1:0'
const FLAGS = ['--log.level=debug', '--log.format=json', '--web.enable-lifecycle', ADMIN]
const SCRAPE_TIMEOUT = { 'X-Prometheus-Scrape-Timeout-Seconds': '2' }
const PAGES = [
  ...['/', '/metrics', '/-/healthy', '/-/ready', '/sd', '/api/v1/status', '/config', '/debug'],
  ...['/probe?system=classic', '/probe?system=modern', '/history?system=classic'],
]
const PROVIDERS = '/vdc/admin/authnproviders'
const ADMIN_PAGES = ['/', '/systems', PROVIDERS, `/systems/classic${PROVIDERS}.json`]

/** The headers and bodies of all pages of both listeners. */
async function everyPage({ url, child }: Served): Promise<string> {
  const listening = /"msg":"listening for provider administration","url":"([^"]+)"/
  const [, admin = ''] = await child.waitForOutput(listening)
  const provider = `${admin}/systems/classic/vdc/admin/authnproviders/x.json`
  const asked = [
    // Faults that do not end keep a probe for the time that the header has.
    ...PAGES.map((path) => request('GET', `${url}${path}`, { headers: SCRAPE_TIMEOUT })),
    request('POST', `${url}/-/reload`),
    ...ADMIN_PAGES.map((path) => request('GET', `${admin}${path}`)),
    request('DELETE', provider),
  ]
  const pages = asked.map(async (answer) => {
    const { headers, text } = await answer
    return `${JSON.stringify(headers)}\n${text}`
  })
  const packed = ['text/plain', 'application/openmetrics-text; version=1.0.0'].map(async (accept) => {
    const headers = { accept, 'accept-encoding': 'gzip' }
    return gunzipSync((await request('GET', `${url}/metrics`, { headers })).body).toString()
  })
  return (await Promise.all([...pages, ...packed])).join('\n')
}

/** The encodings in which output may contain a secret; `test/api/http/redaction.test.ts` has further ones. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [secret, encodeURIComponent(secret), bytes.toString('base64').replace(/=+$/, '')]
}

function expectHidden(output: string, secrets: Iterable<string>): void {
  for (const form of [...secrets].flatMap(formsOf)) {
    const at = output.indexOf(form)
    expect(at < 0 ? '' : output.slice(Math.max(0, at - 200), at + 200)).toBe('')
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

const SECRETS = {
  password: 'MARKED/pass+word=1',
  token: 'MARKED-token/2+x==',
  file: 'MARKED-file-3',
  fixed: 'MARKED-fixed-4',
}

/** A system that returns the secrets of requests in its errors. */
async function startLeakingSystem() {
  const statuses = [400, 401, 403, 404, 409, 429, 500, 502, 503]
  let requests = 0
  const server = await serveHttp((incoming, response) => {
    const { authorization = '', 'x-sds-auth-token': token = '' } = incoming.headers
    const credentials = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
    const isLogin = incoming.url?.endsWith('/login') && requests % 3 !== 0
    requests += 1
    const status = isLogin ? 200 : (statuses[requests % statuses.length] ?? 500)
    // A request with the token of the login follows a login with the password.
    const password = token === SECRETS.token ? SECRETS.password : ''
    const texts = [String(token), authorization, credentials, password, encodeURIComponent(String(token))]
    response.writeHead(status, { 'X-SDS-AUTH-TOKEN': SECRETS.token, Location: `/x?${texts.join('&')}` })
    response.end(errorBodyWith(texts.join(' '), requests))
  })
  return { ...server, requests: () => requests }
}

/** What a system serves and no reading has. */
const PRIVATE_TEXTS = [MARKED_SECRET, PRIVATE.owner, PRIVATE.tag]
/** Answers that cannot be used, and those that are used in part. */
const RESOURCE_FAULTS = [
  'truncate@namespaces',
  'bad-numbers:text@buckets',
  'object-list@license',
  'repeated-object@namespaces',
  'status:500@quota',
  'bad-numbers@bucket_usage',
]
const RESOURCES = ['system', 'replication', 'namespaces', 'quotas', 'buckets', 'inventory']
const SECTIONS = [
  'poll: {schedule: "* * * * * *", max_random_delay: 0s, stale_after: 10m}',
  'performance: {schedule: "* * * * * *"}',
  'limits: {requests_per_second: 1000}',
  `resources: {${RESOURCES.map((name) => `${name}: {schedule: "* * * * * *"}`).join(', ')}}`,
].join('\n')

test('secrets of the exporter and of the systems are in no output, whatever the systems answer', async () => {
  const pools = FAULT_NAMES.length
  await using classic = await startEmulator({ pools, nodes: 1 })
  const small = { pools: 1, nodes: 2, namespaces: 4, buckets: 3, sites: 2 }
  await using modern = await startEmulator({ profile: 'modern', ...small })
  await using leaking = await startLeakingSystem()
  const served = await Promise.all(
    ['/object/namespaces', '/object/bucket?namespace=media', '/license'].map((path) =>
      call(modern, path, { headers: { accept: 'application/json' } }),
    ),
  )
  for (const text of PRIVATE_TEXTS) expect(served.map((answer) => answer.text).join('\n')).toContain(text)

  using folder = temporaryFolder()
  const auth = '{username: monitor, password: emulator}'
  const leaks = [
    `{username: monitor, password: "${SECRETS.password}"}`,
    `{token_file: "${folder.write('token', SECRETS.file)}"}`,
    `{token: "${SECRETS.fixed}"}`,
  ]
  const systems = [
    `{name: classic, base_url: "${classic.url}", auth: ${auth}}`,
    `{name: modern, base_url: "${modern.url}", auth: ${auth}}`,
    ...leaks.map(
      (own, index) =>
        `{name: s${index}, base_url: "${leaking.url}", auth: ${own}, pools: [{id: p1}, {id: p2}]}`,
    ),
  ]
  const good = `systems:\n${systems.map((system) => `  - ${system}\n`).join('')}${SECTIONS}\n`
  const file = folder.write('sds.yml', good)
  const output: string[] = []
  {
    await using exporter = await serve(file, { flags: FLAGS })
    const metrics = async () => (await request('GET', `${exporter.url}/metrics`)).text
    await waitFor(async () => (await metrics()).includes('sds_bucket_used_bytes{'), { what: 'the buckets' })
    await waitFor(() => classic.log.count('nodes') >= pools, { what: 'all first polls' })
    output.push(await everyPage(exporter))
    const faults = FAULT_NAMES.map((name, index) => `${name}@nodes,pool=${classic.pools[index]?.id}`)
    classic.setFaults(faults.map((fault) => fault.replace(/^(expire-tokens)@.*/, '$1')))
    modern.setFaults(RESOURCE_FAULTS)
    const before = classic.log.requests().length
    const isPolled = ({ id }: { readonly id: string }) =>
      classic.log
        .requests()
        .slice(before)
        .some(({ operation, path }) => operation === 'nodes' && path.includes(id))
    await waitFor(() => classic.pools.every(isPolled), { what: 'a poll with every fault' })
    const isFailing = async () => {
      const { systems } = JSON.parse((await request('GET', `${exporter.url}/api/v1/status`)).text) as Status
      const { resources = [] } = systems.find(({ name }) => name === 'modern') ?? {}
      return resources.some(({ state }) => state === 'failing')
    }
    await waitFor(isFailing, { what: 'readings that fail' })
    await waitFor(() => leaking.requests() > 30, { what: 'errors with secrets' })
    output.push(await everyPage(exporter))
    folder.write('sds.yml', good.replaceAll('password: emulator', 'password: emulator, token: ALSO-MARKED'))
    output.push(await everyPage(exporter))
    folder.write('sds.yml', good)
    classic.setFaults([])
    await exporter.child.stop()
    output.push(exporter.child.stdout(), exporter.child.stderr())
  }
  for (const command of ['check', 'doctor', 'nodes']) {
    const { stdout, stderr } = await run(process.execPath, ['src/main.ts', command, `--config.file=${file}`])
    expect(stdout + stderr).not.toBe('')
    output.push(stdout, stderr)
  }
  const text = output.join('\n')
  for (const words of ['sds_system_license_expired', 'could not be read', 'it says: ', '<secret>'])
    expect(text).toContain(words)
  const tokens = [...classic.log.tokens(), ...modern.log.tokens()]
  expect(tokens.length).toBeGreaterThan(0)
  const credentials = ['monitor:emulator', `monitor:${SECRETS.password}`, 'ALSO-MARKED']
  expectHidden(text, [...tokens, ...credentials, ...Object.values(SECRETS), ...PRIVATE_TEXTS])
})
