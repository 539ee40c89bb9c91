import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmulator } from '../../api/client_setup.ts'
import {
  type Authority,
  type Identity,
  LOCAL_SANS,
  makeAuthority,
} from '../../server/listener/certificates.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { run } from '../../support/processes.ts'

/** `backfill` sends to a receiver with TLS that takes only clients with a certificate of the same authority. */
const RANGE = ['--from=2026-03-01T00:00:00Z', '--to=2026-03-01T00:10:00Z']

interface Received {
  readonly headers: IncomingMessage['headers']
  /** The name in the client certificate. */
  readonly client: string | undefined
}

let folder: Folder
let ca: Authority
let client: Identity
let emulator: Awaited<ReturnType<typeof startEmulator>>
let stop: () => void
let port: number
const received: Received[] = []
let files: Record<'ca' | 'cert' | 'key' | 'otherCa' | 'password' | 'token', string>

async function startReceiver(server: Identity): Promise<void> {
  const options = { ...server, ca: ca.cert, requestCert: true, rejectUnauthorized: true }
  const listening = createServer(options, async (request, response) => {
    const certificate = (request.socket as TLSSocket).getPeerCertificate()
    const name = certificate.subject?.CN
    received.push({ headers: request.headers, client: Array.isArray(name) ? name[0] : name })
    await buffer(request)
    response.writeHead(204).end()
  })
  await once(listening.listen(0, '127.0.0.1'), 'listening')
  port = (listening.address() as AddressInfo).port
  stop = () => {
    listening.close()
    listening.closeAllConnections()
  }
}

beforeAll(async () => {
  folder = temporaryFolder()
  ca = await makeAuthority('Receivers')
  const other = await makeAuthority('Others')
  client = await ca.issue('sds-exporter')
  await startReceiver(
    await ca.issue('receiver', [...LOCAL_SANS, { type: 'dns', value: 'receiver.example.net' }]),
  )
  emulator = await startEmulator({ pools: 1, nodes: 1 })
  files = {
    ca: folder.write('ca.pem', ca.cert),
    otherCa: folder.write('other.pem', other.cert),
    cert: folder.write('client.pem', client.cert),
    key: folder.write('client.key', client.key),
    password: folder.write('password', 'geheim\n'),
    token: folder.write('token', 'abc.def\n'),
  }
})
afterAll(async () => {
  stop?.()
  await emulator?.stop()
  folder?.[Symbol.dispose]()
})

async function send(...flags: string[]) {
  received.length = 0
  const auth = 'auth: {username: monitor, password: emulator}'
  const config = folder.write('sds.yml', `systems: [{name: a, base_url: "${emulator.url}", ${auth}}]\n`)
  const url = `--remote-write.url=https://127.0.0.1:${port}/api/v1/push`
  return run(process.execPath, [
    'src/main.ts',
    'backfill',
    `--config.file=${config}`,
    ...RANGE,
    url,
    ...flags,
  ])
}

const trusted = () => [`--remote-write.ca-file=${files.ca}`]
const identified = () => [`--remote-write.cert-file=${files.cert}`, `--remote-write.key-file=${files.key}`]

describe('a receiver with TLS', () => {
  test('gets the client certificate, basic authentication and the tenant', async () => {
    const basic = ['--remote-write.username=writer', `--remote-write.password-file=${files.password}`]
    const tenants = ['--remote-write.header=X-Scope-OrgID=storage', '--remote-write.header=THANOS-TENANT=a=b']
    const { code, stderr } = await send(...trusted(), ...identified(), ...basic, ...tenants)
    expect([code, stderr]).toEqual([0, expect.stringContaining('samples')])
    expect(received.length).toBeGreaterThan(0)
    for (const { headers, client: name } of received) {
      expect(name).toBe('sds-exporter')
      expect(headers).toMatchObject({
        authorization: `Basic ${Buffer.from('writer:geheim').toString('base64')}`,
        'x-scope-orgid': 'storage',
        'thanos-tenant': 'a=b',
      })
    }
  })

  test('gets bearer authentication, and is verified by another name', async () => {
    const name = '--remote-write.server-name=receiver.example.net'
    const bearer = `--remote-write.bearer-token-file=${files.token}`
    expect(await send(...trusted(), ...identified(), name, bearer)).toMatchObject({ code: 0 })
    expect(received[0]?.headers.authorization).toBe('Bearer abc.def')
  })

  test('is accepted without verification if that is disabled', async () => {
    expect(await send(...identified(), '--remote-write.insecure-skip-verify')).toMatchObject({ code: 0 })
    expect(received.length).toBeGreaterThan(0)
  })

  test.each([
    ['of another authority', () => [`--remote-write.ca-file=${files.otherCa}`, ...identified()]],
    ['of the default authorities', () => identified()],
    [
      'of another name',
      () => [...trusted(), ...identified(), '--remote-write.server-name=other.example.net'],
    ],
    ['without a client certificate', trusted],
  ])('%s ends the run at once', async (_, flags) => {
    const { code, stderr } = await send(...flags())
    expect([code, stderr]).toEqual([1, expect.stringMatching(/remote write to https:.*certificate/i)])
    expect(received).toEqual([])
  })

  test.each([
    [['--remote-write.cert-file=c.pem'], /cert-file and --remote-write.key-file need each other/],
    [['--remote-write.username=u'], /username and --remote-write.password-file need each other/],
    [
      ['--remote-write.username=u', '--remote-write.password-file=p', '--remote-write.bearer-token-file=t'],
      /choose basic or bearer/,
    ],
    [['--remote-write.header=Authorization=x'], /header that has no flag of its own/],
  ])('%j is a usage error', async (flags, words) => {
    expect(await send(...flags)).toMatchObject({ code: 2, stderr: expect.stringMatching(words) })
  })
})
