import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { type RequestOptions, request } from 'node:https'
import { connect } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { EXPIRED, makeAuthority, sansOf } from '../server/listener/certificates.ts'
import type { Emulator } from '../support/programs/emulator.ts'
import { startEmulator } from './client.ts'

function get(emulator: Emulator, options: RequestOptions): Promise<number> {
  const { hostname, port } = new URL(emulator.url)
  const headers = { 'X-SDS-AUTH-TOKEN': 'emulator-monitor' }
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path: '/user/whoami', headers, agent: false, ...options },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

async function certificateOf(emulator: Emulator): Promise<string> {
  const { hostname, port } = new URL(emulator.url)
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const certificate = socket.getPeerX509Certificate()?.toString() ?? ''
  socket.destroy()
  return certificate
}

describe('a certificate created on start', () => {
  test('is accepted only by clients that trust it', async () => {
    const emulator = await startEmulator({ tls: true })
    expect(emulator.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const ca = await certificateOf(emulator)
    expect(await get(emulator, { ca })).toBe(200)
    expect(await get(emulator, { ca, servername: 'localhost' })).toBe(200)
    await expect(get(emulator, {})).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  })
})

describe('certificates of an authority', () => {
  test('are accepted for their names by clients that trust the authority', async () => {
    const authority = await makeAuthority('Test authority')
    const tls = await authority.issue('storage', sansOf(['storage.example']))
    const emulator = await startEmulator({ tls })
    expect(await get(emulator, { ca: authority.cert, servername: 'storage.example' })).toBe(200)
    await expect(get(emulator, { ca: authority.cert })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    const other = await makeAuthority('Other authority')
    await expect(get(emulator, { ca: other.cert, servername: 'storage.example' })).rejects.toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    })
  })

  test('can be expired', async () => {
    const authority = await makeAuthority('Test authority')
    const tls = await authority.issue('storage', sansOf(['127.0.0.1']), EXPIRED)
    await expect(get(await startEmulator({ tls }), { ca: authority.cert })).rejects.toMatchObject({
      code: 'CERT_HAS_EXPIRED',
    })
  })

  test('authenticate clients', async () => {
    const authority = await makeAuthority('Test authority')
    const server = await authority.issue('storage', sansOf(['127.0.0.1']))
    const emulator = await startEmulator({
      tls: { ...server, ca: authority.cert, requestCert: true },
    })
    const client = await authority.issue('exporter')
    expect(await get(emulator, { ca: authority.cert, ...client })).toBe(200)
    await expect(get(emulator, { ca: authority.cert })).rejects.toThrow()
    const untrusted = await selfSigned({ names: ['exporter'] })
    await expect(get(emulator, { ca: authority.cert, ...untrusted })).rejects.toThrow()
  })

  test('contain the given names, addresses and dates', async () => {
    const notAfter = new Date('2031-02-03T04:05:06Z')
    const { cert } = await selfSigned({ names: ['a.example', '192.0.2.1', '::1'], notAfter })
    const parsed = new X509Certificate(cert)
    expect(parsed.subject).toBe('CN=a.example')
    expect(parsed.subjectAltName).toBe('DNS:a.example, IP Address:192.0.2.1, IP Address:0:0:0:0:0:0:0:1')
    expect(new Date(parsed.validTo)).toEqual(notAfter)
  })
})
