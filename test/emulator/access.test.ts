import { describe, expect, test } from 'vitest'
import { ADMIN, call, feedPath, type Json, MONITOR, SECURITY, startEmulator } from './client.ts'

const TOKENS = { SYSTEM_MONITOR: MONITOR, SYSTEM_ADMIN: ADMIN, SECURITY_ADMIN: SECURITY }
type Role = keyof typeof TOKENS
const ALL: Role[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN', 'SECURITY_ADMIN']
const SYSTEM: Role[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']

/** From the API document and observations of real systems. */
const OPERATIONS: [method: string, path: string, allowed: Role[]][] = [
  ['GET', '/vdc/admin/authnproviders', ALL],
  ['GET', '/vdc/admin/authnproviders/PROVIDER', ALL],
  ['DELETE', '/vdc/admin/authnproviders/PROVIDER.json', ALL],
  ['GET', '/vdc/alerts', ALL],
  ['GET', '/vdc/nodes.json', ALL],
  ['GET', '/vdc/data-services/varrays.json', ALL],
  ['GET', '/user/whoami', ALL],
  ['GET', '/dashboard/storagepools/POOL/nodes.json', SYSTEM],
  ['GET', '/dashboard/zones/localzone', SYSTEM],
  ['GET', '/dashboard/zones/localzone/storagepools', SYSTEM],
  ['GET', '/dashboard/zones/localzone/replicationgroups', SYSTEM],
  ['GET', '/dashboard/zones/localzone/rglinksFailed', SYSTEM],
  ['GET', '/dashboard/zones/localzone/rglinksBootstrap', SYSTEM],
  ['GET', '/object/namespaces', SYSTEM],
  ['GET', '/object/namespaces/namespace/media/quota', SYSTEM],
  ['POST', '/object/billing/namespace/info', SYSTEM],
  ['GET', '/object/bucket?namespace=media', SYSTEM],
  ['POST', '/object/billing/buckets/media/info', SYSTEM],
  ['GET', '/license', SYSTEM],
]

describe('roles', () => {
  test.each(OPERATIONS)('%s %s', async (method, path, allowed) => {
    for (const role of ALL) {
      const emulator = await startEmulator()
      const resolved = await resolvedPath(emulator, path)
      const post = method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }
      const response = await call(emulator, resolved, { method, token: TOKENS[role], ...post })
      expect([role, response.status]).toEqual([role, allowed.includes(role) ? 200 : 403])
      if (response.status === 403) expect(response.text).toContain('3000')
    }
  })

  test.each([
    ['profile documented', {}, ALL],
    ['profile classic', { profile: 'classic' }, ['SECURITY_ADMIN']],
    ['profile modern', { profile: 'modern' }, ['SECURITY_ADMIN']],
  ] as const)('who may delete a provider: %s', async (_name, options, allowed) => {
    const emulator = await startEmulator(options)
    const { authnprovider } = (await call(emulator, '/vdc/admin/authnproviders.json')).json()
    for (const [index, role] of ALL.entries()) {
      const path = `/vdc/admin/authnproviders/${authnprovider[index].id}`
      const { status } = await call(emulator, path, { method: 'DELETE', token: TOKENS[role] })
      expect([role, status]).toEqual([role, (allowed as readonly Role[]).includes(role) ? 200 : 403])
    }
  })
})

const NO_PROVIDER = '/vdc/admin/authnproviders/urn:storageos:AuthnProvider:none:'

/** Columns: cause, method, path, token, status, and code of the body. */
const REFUSALS: [string, string, string, string, number, number][] = [
  ['no token', 'GET', '/vdc/nodes', '', 401, 4000],
  ['an unknown token', 'GET', '/vdc/nodes', 'stolen', 401, 4000],
  ['a missing role', 'GET', '/dashboard/zones/localzone', SECURITY, 403, 3000],
  ['an unknown provider', 'DELETE', NO_PROVIDER, SECURITY, 404, 2000],
  ['an id that is not a URN', 'DELETE', '/vdc/admin/authnproviders/ldap', SECURITY, 400, 1013],
  ['an unknown pool', 'GET', '/dashboard/storagepools/none/nodes', MONITOR, 404, 2000],
  ['a malformed parameter', 'GET', '/dashboard/storagepools/POOL/nodes?dataType=x', MONITOR, 400, 1008],
  ['a malformed time', 'GET', '/dashboard/storagepools/POOL/nodes?startTime=x', MONITOR, 400, 1029],
  ['a reversed range', 'GET', '/dashboard/storagepools/POOL/nodes?startTime=9&endTime=1', MONITOR, 400, 1014],
  ['an unknown path', 'GET', '/vdc/nowhere', MONITOR, 404, 2000],
  ['a malformed path', 'GET', '/vdc/%zz', MONITOR, 400, 1008],
  ['a malformed id', 'DELETE', '/vdc/admin/authnproviders/urn%zz', SECURITY, 400, 1008],
  ['a wrong method', 'POST', '/vdc/admin/authnproviders', ADMIN, 405, 1007],
]

describe('refusals', () => {
  test.each(REFUSALS)(
    '%s: the error body is served in both formats',
    async (_cause, method, path, token, status, code) => {
      const emulator = await startEmulator()
      const resolved = await resolvedPath(emulator, path)
      const json = await call(emulator, resolved, { method, token, headers: { accept: 'application/json' } })
      expect(json.status).toBe(status)
      expect(json.headers['content-type']).toMatch(/^application\/json/)
      const texts = { description: expect.any(String), details: expect.any(String) }
      expect(json.json()).toEqual({ code, ...texts, retryable: false })
      const xml = await call(emulator, resolved, { method, token, headers: { accept: 'application/xml' } })
      expect(xml.status).toBe(status)
      expect(xml.headers['content-type']).toMatch(/^application\/xml/)
      expect(xml.text).toMatch(
        new RegExp(
          `^<\\?xml [^>]*standalone="yes"\\?><error><code>${code}</code><description>[^<]+</description>` +
            '<details>[^<]+</details><retryable>false</retryable></error>$',
        ),
      )
    },
  )

  test('status 405 lists the allowed methods', async () => {
    const emulator = await startEmulator()
    const list = await call(emulator, '/vdc/admin/authnproviders', { method: 'POST' })
    expect(list.headers['allow']).toBe('GET, HEAD')
    const one = await call(emulator, '/vdc/admin/authnproviders/urn:x:', { method: 'PUT' })
    expect(one.headers['allow']).toBe('DELETE, GET, HEAD')
  })

  test.each([
    ['/vdc/nowhere', undefined, 'xml'],
    ['/vdc/nowhere', '*/*', 'xml'],
    ['/vdc/nowhere.json', 'application/xml', 'json'],
    ['/vdc/nowhere', 'application/json', 'json'],
    ['/dashboard/nowhere', undefined, 'json'],
    ['/dashboard/nowhere', '*/*', 'json'],
    ['/dashboard/nowhere', 'text/xml', 'xml'],
    ['/dashboard/nowhere', 'application/xml;q=0.2, application/json;q=0.1', 'xml'],
  ])('%s with Accept %s is served as %s', async (path, accept, format) => {
    const headers = accept === undefined ? {} : { accept }
    const response = await call(await startEmulator(), path, { headers })
    expect(response.headers['content-type']).toContain(format)
  })
})

describe('an expired or unknown token', () => {
  test('as on real systems, GET is redirected to the login, other methods get 401', async () => {
    const emulator = await startEmulator({ profile: 'classic' })
    const response = await call(emulator, '/vdc/nodes.json?a=b', { token: 'old' })
    expect(response.status).toBe(302)
    expect(response.headers['location']).toBe('/login?service=%2Fvdc%2Fnodes.json%3Fa%3Db')
    expect((await call(emulator, NO_PROVIDER, { method: 'DELETE', token: 'old' })).status).toBe(401)
    // Also without a token.
    expect((await call(emulator, '/vdc/nodes', { token: '' })).status).toBe(302)
    expect((await call(emulator, NO_PROVIDER, { method: 'DELETE', token: '' })).status).toBe(401)
    const modern = await startEmulator({ profile: 'modern' })
    expect((await call(modern, '/vdc/nodes', { token: 'old' })).status).toBe(302)
  })
})

type Emulator = Awaited<ReturnType<typeof startEmulator>>

async function resolvedPath(emulator: Emulator, path: string): Promise<string> {
  const list: Json = (await call(emulator, '/vdc/admin/authnproviders.json')).json()
  return path
    .replace('PROVIDER', list.authnprovider[0].id)
    .replace('/dashboard/storagepools/POOL/nodes', feedPath(emulator))
}
