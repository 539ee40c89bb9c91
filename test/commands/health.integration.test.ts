import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { describe, expect, test } from 'vitest'
import { makeAuthority } from '../server/listener/certificates.ts'
import { temporaryFolder } from '../support/folders.ts'
import { freePort } from '../support/ports.ts'
import { runCommand } from './run_command.ts'

/** Runs the command against a test server. */
async function healthOf(server: Server, host: string, ...flags: string[]) {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  try {
    return { port, ...(await health(`:${port}`, ...flags)) }
  } finally {
    server.close()
  }
}

function health(address: string, ...flags: string[]) {
  return runCommand(['health', `--web.listen-address=${address}`, ...flags])
}

const healthyOnly: RequestListener = (request, response) => {
  response.statusCode = request.url === '/-/healthy' ? 200 : 404
  response.end('fine')
}

const HEALTHY = { code: 0, stdout: 'healthy\n', stderr: '' }

describe('health', () => {
  test('succeeds if the exporter is healthy', async () => {
    expect(await healthOf(createHttpServer(healthyOnly), '127.0.0.1')).toMatchObject(HEALTHY)
  })

  test('reports a refused connection', async () => {
    const port = await freePort()
    const { code, stderr } = await health(`0.0.0.0:${port}`)
    expect(code).toBe(1)
    expect(stderr).toContain(`http://127.0.0.1:${port}/-/healthy is not reachable`)
  })

  test('reports another status', async () => {
    const server = createHttpServer((_, response) => response.writeHead(503).end())
    const { code, port, stderr } = await healthOf(server, '127.0.0.1')
    expect(code).toBe(1)
    expect(stderr).toContain(`http://127.0.0.1:${port}/-/healthy responded with status 503, expected 200`)
  })

  test('says how to ask an exporter with TLS', async () => {
    const certificate = await (await makeAuthority('ours')).issue('exporter.example.net')
    const { code, stderr } = await healthOf(createHttpsServer(certificate, healthyOnly), '127.0.0.1')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('no HTTP response; if the exporter serves TLS, set --web.config.file'),
    ])
  })

  test('stops waiting for a server that does not respond', async () => {
    const { code, stderr } = await healthOf(
      createHttpServer(() => undefined),
      '127.0.0.1',
    )
    expect(code).toBe(1)
    expect(stderr).toContain('is not reachable')
  })

  test('trusts only the certificate of the web configuration, with any name', async () => {
    using folder = temporaryFolder()
    const authority = await makeAuthority('ours')
    const [own, other] = [await authority.issue('exporter.example.net'), await authority.issue('other')]
    folder.write('own.crt', own.cert)
    folder.write('own.key', own.key)
    const file = folder.write('web.yml', 'tls_server_config: {cert_file: own.crt, key_file: own.key}\n')
    const flag = `--web.config.file=${file}`
    expect(await healthOf(createHttpsServer(own, healthyOnly), '127.0.0.1', flag)).toMatchObject(HEALTHY)
    const refused = await healthOf(createHttpsServer(other, healthyOnly), '127.0.0.1', flag)
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/https:\/\/127\.0\.0\.1:\d+\/-\/healthy is not reachable: /)
  })
})
