import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { selfSigned } from '../../../src/emulator/certificates.ts'
import { newSystem } from '../../../src/state/state.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { get, request } from '../../support/http.ts'
import { type StartedListener, sendRaw, startListener } from '../listener/listener_setup.ts'
import { metricsApp, probeSources } from '../status/status_setup.ts'

const app = metricsApp({
  probes: probeSources({
    systems: () => [{ ...newSystem('frankfurt'), labels: { site: 'fra', tier: '"gold"' } }, newSystem('b')],
  }),
})
let listener: StartedListener

beforeAll(async () => {
  listener = await startListener({ handler: app })
})
afterAll(() => listener.stop())

describe('GET /sd', () => {
  test('has a target for each system, at the address that the client used', async () => {
    const { status, headers, text } = await get(`${listener.url}/sd`)
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const probed = (name: string) => ({ instance: name, __metrics_path__: '/probe', __param_system: name })
    const targets = [new URL(listener.url).host]
    expect(JSON.parse(text)).toEqual([
      { targets, labels: { site: 'fra', tier: '"gold"', ...probed('frankfurt') } },
      { targets, labels: probed('b') },
    ])
  })

  test.each(['sds-exporter.monitoring.svc:9438', 'proxy.example.net', '[::1]:9438'])(
    'has the address %s of a proxy or Service',
    async (host) => {
      const { text } = await get(`${listener.url}/sd`, { Host: host })
      expect(JSON.parse(text)[0].targets).toEqual([host])
    },
  )

  test.each(['Host: a b', 'Host: user@host', 'Host: a/b', 'Host:'])(
    'refuses the header "%s"',
    async (header) => {
      const answer = await sendRaw(
        listener.port,
        `GET /sd HTTP/1.1\r\n${header}\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain('The header Host must have a host name')
    },
  )

  test('names https for a listener with TLS', async () => {
    using folder = temporaryFolder()
    const { cert, key } = await selfSigned({ names: ['127.0.0.1'] })
    folder.write('cert.pem', cert)
    folder.write('key.pem', key)
    const webConfigFile = folder.write(
      'web.yml',
      'tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n',
    )
    await using secure = await startListener({ handler: app, webConfigFile })
    const { text } = await request('GET', `${secure.url}/sd`, { tls: { ca: cert } })
    expect(JSON.parse(text)[0].labels.__scheme__).toBe('https')
  })
})
