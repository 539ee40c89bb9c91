import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAdminClient } from '../../src/api/admin_client.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { LIST_REQUEST } from '../../src/api/providers/providers.ts'
import { QUERIES, type Query } from '../../src/api/query/requests/queries.ts'
import { freePort } from '../support/ports.ts'
import { waitForAssertion } from '../support/wait.ts'
import { monitored, startClient, startEmulator } from './client_setup.ts'
import { serveHttp } from './http/raw_server.ts'
import { never, secret } from './http/responses.ts'

const FORECAST = { timeFrame: '4w', targets: [80, 90], braces: true }
const [CPU] = QUERIES as readonly [Query]
const DIALECT = { lastOnly: false, windowSeconds: 1320 }
const T_MS = Date.parse('2026-03-11T12:34:56Z')
/** undici publishes here when the headers of an answer have arrived. */
const HEADERS_RECEIVED = 'undici:request:headers'
const FEED = '{"_embedded":{"_instances":[{"id":"n1"}]}}'

describe('a session over HTTP', () => {
  test.each([
    [302, 'classic'],
    [401, 'documented'],
  ] as const)(
    'a token that expires between polls (%i) causes one login for all pools',
    async (_status, profile) => {
      await using emulator = await startEmulator({ pools: 3, profile })
      await using setup = startClient(monitored(emulator.url))
      const pollAll = () => Promise.all(emulator.pools.map(({ id }) => setup.client.nodes(id, never())))
      await pollAll()
      emulator.setFaults(['expire-tokens:0'])
      await pollAll()
      expect(emulator.log.logins()).toEqual({ granted: 2, refused: 0 })
      expect(emulator.liveSessions('monitor')).toBe(1)
      expect(setup.loginResults).toEqual(['ok', 'ok'])
    },
  )

  test('the logout does not wait for the rate limit', async () => {
    await using emulator = await startEmulator()
    const setup = startClient(monitored(emulator.url), 'limits: {requests_per_second: 1}')
    const stop = new AbortController()
    // After the login, three more requests wait for the rate limit; a logout behind them would be given up after 2 s.
    const poll = () => setup.client.nodes(emulator.pools[0]?.id ?? '', stop.signal)
    const polls = Array.from({ length: 4 }, poll)
    await waitForAssertion(() => expect(setup.loginResults).toEqual(['ok']))
    stop.abort()
    await Promise.allSettled(polls)
    await setup.client.close()
    expect(emulator.log.count('logout')).toBe(1)
  })

  test('the token of a login with a broken body is used and logged out', async () => {
    await using emulator = await startEmulator()
    emulator.setFaults(['truncate@login', 'bad-utf8@login'])
    await using setup = startClient(monitored(emulator.url))
    await setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    await setup.client.close()
    expect(emulator.log.logins().granted).toBe(1)
    expect(emulator.liveSessions('monitor')).toBe(0)
  })
})

test('redirects are not followed: another host gets neither a request nor a token', async () => {
  const seen: unknown[] = []
  await using other = await serveHttp((request, response) => {
    seen.push(request.headers)
    response.end(FEED)
  })
  await using emulator = await startEmulator()
  await using setup = startClient(monitored(emulator.url))
  const poll = () => setup.client.nodes(emulator.pools[0]?.id ?? '', never())
  emulator.setFaults([`redirect-other:${other.url}/dashboard/storagepools/x/nodes@nodes`])
  await expect(poll()).rejects.toMatchObject({ reason: 'redirect', status: 302 })
  emulator.setFaults([`redirect-login:${other.url}@nodes`])
  await expect(poll()).rejects.toMatchObject({ reason: 'auth', status: 302 })
  emulator.setFaults([`redirect-other:${other.url}/x@login`])
  const loggingIn = startClient(monitored(emulator.url)).client.nodes('p', never())
  await expect(loggingIn).rejects.toMatchObject({ reason: 'redirect' })
  expect(seen).toEqual([])
  expect(other.connections()).toBe(0)
})

describe('fail-over', () => {
  test('an unreachable node is skipped; the session stays with the other node, and is logged out there', async () => {
    await using emulator = await startEmulator()
    const unreachable = `http://127.0.0.1:${await freePort()}`
    await using setup = startClient(monitored(unreachable, emulator.url))
    const poll = () => setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    await poll()
    await poll()
    expect(setup.exchanges).toEqual(['login connect', 'login 200', 'nodes 200', 'nodes 200'])
    expect(setup.responded).toEqual([true, true])
    await setup.client.close()
    expect(emulator.liveSessions('monitor')).toBe(0)
  })

  test('a session that all nodes accept survives the failure of a node', async () => {
    await using emulator = await startEmulator()
    const first = await serveHttp((request, response) => {
      // A proxy to the same system.
      const headers = request.headers as Record<string, string>
      fetch(`${emulator.url}${request.url}`, { headers, redirect: 'manual' }).then(async (answer) => {
        const token = answer.headers.get('X-SDS-AUTH-TOKEN') ?? ''
        response.writeHead(answer.status, { 'X-SDS-AUTH-TOKEN': token })
        response.end(await answer.text())
      })
    })
    await using setup = startClient(monitored(first.url, emulator.url))
    const poll = () => setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    await poll()
    await first.stop()
    await poll()
    expect(emulator.log.logins()).toEqual({ granted: 1, refused: 0 })
    await setup.client.close()
    expect(emulator.liveSessions('monitor')).toBe(0)
  })

  test('a system that refuses every second request costs two logins, and the failure says what it looks like', async () => {
    const counts = { login: 0, nodes: 0 }
    await using system = await serveHttp(({ url = '' }, response) => {
      if (url.startsWith('/login')) {
        counts.login += 1
        return response.setHeader('X-SDS-AUTH-TOKEN', `token-${counts.login}`).end()
      }
      if (!url.includes('/nodes')) return response.end()
      counts.nodes += 1
      if (counts.nodes % 2 === 1) return response.writeHead(401).end()
      return response.end(JSON.stringify({ _embedded: { _instances: [{ id: 'n1' }] } }))
    })
    await using setup = startClient(monitored(system.url))
    const remedies = new Set<string>()
    for (let count = 0; count < 101; count += 1)
      await setup.client.nodes('p', never()).catch(({ remedy }: ApiError) => remedies.add(remedy))
    expect(counts).toEqual({ login: 2, nodes: 102 })
    expect([...remedies]).toEqual([expect.stringContaining('nodes of one system, which share sessions')])
  })

  test('a node that refuses the session gets a new login', async () => {
    const [one, two] = [await startEmulator(), await startEmulator()]
    await using setup = startClient(monitored(one.url, two.url))
    const poll = () => setup.client.nodes(two.pools[0]?.id ?? '', never())
    await poll()
    await one.stop()
    await poll()
    expect(two.log.logins()).toEqual({ granted: 1, refused: 0 })
    await setup.client.close()
    expect(two.liveSessions('monitor')).toBe(0)
    await two.stop()
  })

  test('when no node answers, the last failure is thrown, with system, operation and path', async () => {
    const unreachable = `http://127.0.0.1:${await freePort()}`
    const rest = 'poll: {timeout: 2s}\nlimits: {requests_per_second: 1000}'
    await using setup = startClient(monitored(unreachable), rest)
    const failure = await setup.client.nodes('p', never()).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(ApiError)
    expect(String(failure)).toMatch(
      /^ApiError: system a, nodes of pool p \(\/dashboard\/storagepools\/p\/nodes\): connection refused: .* \[ECONNREFUSED\]$/,
    )
  })
})

test('pools with an id that is not valid in a path fail without a request', async () => {
  await using emulator = await startEmulator()
  await using setup = startClient(monitored(emulator.url))
  const failure = await setup.client.nodes('../../user/whoami', never()).catch((cause: unknown) => cause)
  expect(failure).toMatchObject({ reason: 'local' })
  expect(emulator.log.count()).toBe(0)
})

describe('requests', () => {
  test('ask for current values only, and for forecasts as configured', async () => {
    await using emulator = await startEmulator()
    await using setup = startClient(monitored(emulator.url))
    const pool = emulator.pools[0]?.id ?? ''
    await setup.client.nodes(pool, never())
    const { nodes } = await setup.client.forecasts(pool, FORECAST, never())
    const found = nodes[0]?.forecasts.map((one) => `${one.historyDays}d ${one.targetPercent}%`)
    expect(found).toEqual(['28d 80%', '28d 90%'])
    const queries = emulator.log.requests().map(({ path, query }) => `${path}?${query}`)
    expect(queries.slice(1)).toEqual([
      `/dashboard/storagepools/${pool}/nodes?dataType=current`,
      `/dashboard/storagepools/${pool}/nodes?category=capacityForecast&cfTimeFrame=%7B4w%7D&cfTarget=%7B80%3B90%7D`,
    ])
  })

  test('ask for pools without their history', async () => {
    await using emulator = await startEmulator({ pools: 14, nodes: 1 })
    await using setup = startClient(monitored(emulator.url))
    expect((await setup.client.pools(never())).pools).toHaveLength(14)
    const lists = emulator.log.requests().filter(({ operation }) => operation === 'pools')
    expect(lists.map(({ query }) => query)).toEqual(['dataType=current'])
  })

  test('keep the path of base_url', async () => {
    const paths: (string | undefined)[] = []
    await using server = await serveHttp((request, response) => {
      paths.push(request.url)
      response.setHeader('X-SDS-AUTH-TOKEN', 'token')
      response.end(FEED)
    })
    await using setup = startClient(monitored(`${server.url}/storage/`))
    await setup.client.nodes('p', never())
    expect(paths).toEqual(['/storage/login', '/storage/dashboard/storagepools/p/nodes?dataType=current'])
  })

  test('report the clock skew of the system', async () => {
    await using emulator = await startEmulator()
    emulator.setFaults(['clock-back:3600'])
    await using setup = startClient(monitored(emulator.url))
    await setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    for (const skew of setup.clockSkewsSeconds) expect(Math.abs(skew + 3600)).toBeLessThanOrEqual(30)
    expect(setup.clockSkewsSeconds).toHaveLength(2)
  })

  test('report the clock skew at the time of the headers, however long the body takes', async () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(T_MS + 500)
    onTestFinished(() => clock.mockRestore())
    await using server = await serveHttp((_, response) => {
      const finish = () => {
        clock.mockReturnValue(T_MS + 25_000)
        response.end(FEED)
      }
      // The client has the headers, and handles them before the next turn.
      const onHeaders = () => void setImmediate(finish)
      subscribe(HEADERS_RECEIVED, onHeaders)
      onTestFinished(() => void unsubscribe(HEADERS_RECEIVED, onHeaders))
      response.setHeader('Date', new Date(T_MS).toUTCString())
      response.flushHeaders()
    })
    await using setup = startClient(`{name: a, base_url: "${server.url}", auth: {token: t}}`)
    await setup.client.nodes('p', never())
    expect(setup.clockSkewsSeconds).toEqual([0])
  })

  test('are timed in seconds', async () => {
    await using emulator = await startEmulator()
    await using setup = startClient(monitored(emulator.url))
    const beganMs = performance.now()
    await setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    const elapsedSeconds = (performance.now() - beganMs) / 1000
    const [login = -1, nodes = -1] = setup.durationsSeconds
    expect(Math.min(login, nodes)).toBeGreaterThan(0)
    expect(login + nodes).toBeLessThanOrEqual(elapsedSeconds)
  })

  test('with a broken connection are retried on a new one; requests that are refused are not', async () => {
    await using emulator = await startEmulator()
    await using setup = startClient(monitored(emulator.url))
    const poll = () => setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    await poll()
    setup.exchanges.length = 0
    emulator.setFaults(['reset@nodes,first=1'])
    await poll()
    emulator.setFaults(['status:503@nodes,first=1'])
    await poll()
    emulator.setFaults(['status:500,retryable=false@nodes,first=1'])
    await expect(poll()).rejects.toMatchObject({ reason: 'server_error' })
    expect(setup.exchanges).toEqual(['nodes reset', 'nodes 200', 'nodes 503', 'nodes 200', 'nodes 500'])
  })

  test('are not repeated before Retry-After, whether others work or not', async () => {
    await using emulator = await startEmulator()
    await using setup = startClient(monitored(emulator.url), 'poll: {timeout: 5s}')
    const [hot = '', archive = ''] = emulator.pools.map(({ id }) => id)
    emulator.setFaults(['status:503,retry-after=3600@nodes,pool=hot'])
    for (let count = 0; count < 5; count += 1) {
      await expect(setup.client.nodes(hot, never())).rejects.toMatchObject({ reason: 'unavailable' })
      await setup.client.nodes(archive, never())
    }
    expect(emulator.log.count('nodes')).toBe(6)
    await expect(setup.client.nodes(hot, never())).rejects.toThrow(
      /no request was sent, because the system asked to wait \(next request in 1[12]\d s\): .*503/,
    )
    emulator.setFaults([])
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 120_000)
    onTestFinished(() => void vi.restoreAllMocks())
    await setup.client.nodes(hot, never())
  })

  test('refused at one path permanently cost one login, and no other request is refused', async () => {
    await using emulator = await startEmulator({ faults: ['status:401,code=4000@license'] })
    await using setup = startClient(monitored(emulator.url))
    const read = (path: string) =>
      setup.client
        .resource({ operation: 'inventory', path }, () => 'ok', never())
        .catch(({ remedy }: ApiError) => remedy)
    const pool = emulator.pools[0]?.id ?? ''
    const remedy = await read('/license')
    setup.exchanges.length = 0
    for (let count = 0; count < 20; count += 1) {
      const results = [read('/license'), read('/vdc/nodes'), setup.client.nodes(pool, never())]
      expect(await Promise.all(results)).toEqual([remedy, 'ok', expect.anything()])
    }
    expect(emulator.log.logins()).toEqual({ granted: 2, refused: 0 })
    expect(new Set(setup.exchanges)).toEqual(new Set(['inventory 401', 'inventory 200', 'nodes 200']))
  })

  test('refused as front ends refuse expired sessions (code 6401) are retried with one new login', async () => {
    await using emulator = await startEmulator()
    await using setup = startClient(monitored(emulator.url))
    const poll = () => setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    await poll()
    setup.exchanges.length = 0
    emulator.setFaults(['status:500,code=6401@nodes,first=1'])
    await poll()
    expect(setup.exchanges).toEqual(['nodes 500', 'logout 200', 'login 200', 'nodes 200'])
  })

  test('refused with code 6401 for a missing role cost one more login, because the new token is refused, too', async () => {
    await using emulator = await startEmulator()
    await using setup = startClient(monitored(emulator.url))
    emulator.setFaults(['status:500,code=6401@nodes'])
    for (let count = 0; count < 3; count += 1)
      await expect(setup.client.nodes(emulator.pools[0]?.id ?? '', never())).rejects.toMatchObject({
        reason: 'forbidden',
      })
    expect(emulator.log.logins()).toEqual({ granted: 2, refused: 0 })
  })

  test('refused with code 6401 fail with the reason of the login, if the login fails', async () => {
    await using emulator = await startEmulator()
    await using setup = startClient(monitored(emulator.url), 'poll: {timeout: 5s}')
    const poll = () => setup.client.nodes(emulator.pools[0]?.id ?? '', never())
    await poll()
    emulator.setFaults(['status:500,code=6401@nodes', 'status:503@login'])
    await expect(poll()).rejects.toMatchObject({ reason: 'unavailable' })
  })

  test('answered by the web portal fail with the port of the management API as the remedy', async () => {
    const wrapped = { status: 'success', data: [{}], isSuccess: true, isError: false, msgDetails: '' }
    await using server = await serveHttp((_request, response) => {
      response.setHeader('X-SDS-AUTH-TOKEN', 'token')
      response.end(JSON.stringify(wrapped))
    })
    await using setup = startClient(monitored(server.url))
    await expect(setup.client.nodes('urn:a', never())).rejects.toMatchObject({
      reason: 'schema',
      detail: 'the web portal of the system responds, not the management API',
      remedy: expect.stringContaining('4443'),
    })
  })

  test('carry the Content-Type of the API document, also at a system that ignores Accept and answers in XML', async () => {
    const id = 'urn:storageos:AuthnProvider:1:'
    const link = `<link href="/vdc/admin/authnproviders/${id}" rel="self"/>`
    const xml = `<authnproviders><authnprovider><id>${id}</id>${link}<name>a</name></authnprovider></authnproviders>`
    const types: (string | undefined)[] = []
    await using server = await serveHttp(({ method, url = '', headers }, response) => {
      types.push(`${method} ${url} ${headers['content-type']}`)
      response.setHeader('Content-Type', 'application/xml').setHeader('X-SDS-AUTH-TOKEN', 'token')
      if (method === 'DELETE') response.end()
      else response.end(url === '/login' ? '<loggedIn><user>a</user></loggedIn>' : xml)
    })
    await using setup = startClient(monitored(server.url))
    const expected = [{ id, name: 'a', link: { rel: 'self', href: `/vdc/admin/authnproviders/${id}` } }]
    const list = await setup.client.resource(LIST_REQUEST, (body) => body, never())
    expect(list).toMatchObject({ authnproviders: { authnprovider: { id } } })
    const tls = { caFile: undefined, certFile: undefined, keyFile: undefined, serverName: undefined }
    const admin = createAdminClient({
      system: { name: 'a', baseUrls: [server.url], tls: { ...tls, insecureSkipVerify: false } },
      limits: { concurrency: 1, requestsPerSecond: 100, maxResponseBytes: 1_000_000 },
      timeoutMs: 30_000,
    })
    expect(await admin.providers(secret('token'), never())).toEqual(expected)
    await admin.deleteProvider(secret('token'), id, never())
    await admin.close()
    const path = '/vdc/admin/authnproviders'
    expect(types).toEqual(
      ['GET /login', `GET ${path}`, `GET ${path}`, `DELETE ${path}/${id}`].map(
        (request) => `${request} application/json`,
      ),
    )
  })

  test('reuse connections', async () => {
    await using server = await serveHttp((_request, response) => {
      response.setHeader('X-SDS-AUTH-TOKEN', 'token')
      response.end(FEED)
    })
    await using setup = startClient(monitored(server.url))
    for (let poll = 0; poll < 10; poll += 1) await setup.client.nodes('p', never())
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test('open a new connection after ten minutes', async () => {
    await using server = await serveHttp((_request, response) => {
      response.setHeader('X-SDS-AUTH-TOKEN', 'token')
      response.end(FEED)
    })
    await using setup = startClient(`{name: a, base_url: "${server.url}", auth: {token: t}}`)
    await setup.client.nodes('p', never())
    expect(server.connections()).toBe(1)
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 601_000)
    await setup.client.nodes('p', never())
    clock.mockRestore()
    expect(server.connections()).toBe(2)
  })

  test('waiting for a permit do not spend their deadline while others time out', async () => {
    await using emulator = await startEmulator({ pools: 6 })
    const names = emulator.pools.slice(0, 4).map(({ name }) => name)
    emulator.setFaults(names.map((name) => `half-open@nodes,pool=${name}`))
    await using setup = startClient(
      monitored(emulator.url),
      'poll: {timeout: 5s}\nlimits: {requests_per_second: 1000}',
    )
    const results = await Promise.allSettled(emulator.pools.map(({ id }) => setup.client.nodes(id, never())))
    expect(results.map(({ status }) => status)).toEqual([
      ...names.map(() => 'rejected'),
      'fulfilled',
      'fulfilled',
    ])
  })

  test('wait neither for forecasts that hang nor, if they are polls, for queries that hang', async () => {
    await using emulator = await startEmulator({ profile: 'modern' })
    emulator.setFaults(['half-open@forecast', 'half-open@query'])
    await using setup = startClient(monitored(emulator.url))
    const id = emulator.pools[0]?.id ?? ''
    const stop = new AbortController()
    const hanging = Array.from({ length: 10 }, () => [
      setup.client.forecasts(id, FORECAST, stop.signal),
      setup.client.query(CPU, DIALECT, stop.signal),
    ]).flat()
    const counts = () => [emulator.log.count('forecast'), emulator.log.count('query')]
    await waitForAssertion(() => expect(counts()).toEqual([2, 1]))
    await setup.client.nodes(id, never())
    expect(counts()).toEqual([2, 1])
    stop.abort()
    await Promise.allSettled(hanging)
  })

  test.each(['half-open', 'stall'])(
    'end when their signal aborts, as by a reload, and are not counted as failures (%s)',
    async (fault) => {
      await using emulator = await startEmulator({ faults: [`${fault}@nodes`] })
      await using setup = startClient(monitored(emulator.url))
      const leaving = new AbortController()
      const reason = new Error('the pool is no longer polled')
      const poll = setup.client.nodes(emulator.pools[0]?.id ?? '', leaving.signal)
      await waitForAssertion(() => expect(emulator.log.count('nodes')).toBe(1))
      leaving.abort(reason)
      await expect(poll).rejects.toBe(reason)
      expect(setup.exchanges).toEqual(['login 200'])
    },
  )
})

describe('the circuit breaker', () => {
  test.each(['pools', 'forecast'] as const)(
    'counts failures of lists of pools, not of forecasts: %s',
    async (what) => {
      await using emulator = await startEmulator()
      await using setup = startClient(monitored(emulator.url))
      const id = emulator.pools[0]?.id ?? ''
      emulator.setFaults([`redirect-other@${what}`])
      const ask = () =>
        what === 'pools' ? setup.client.pools(never()) : setup.client.forecasts(id, FORECAST, never())
      for (let count = 0; count < 5; count += 1)
        await expect(ask()).rejects.toMatchObject({ reason: 'redirect' })
      const poll = setup.client.nodes(id, never())
      if (what === 'pools') await expect(poll).rejects.toThrow('no request was sent')
      else expect((await poll).nodes).toHaveLength(5)
    },
  )
})

describe('secrets that the system returns in its errors', () => {
  test.each(['json', 'xml', 'text'])('are hidden in %s', async (form) => {
    const echo = (text: string) =>
      form === 'json'
        ? JSON.stringify({ code: 4000, description: 'You sent', details: text })
        : form === 'xml'
          ? `<error><code>4000</code><description>${text}</description></error>`
          : text
    await using server = await serveHttp((request, response) => {
      const { authorization, 'x-sds-auth-token': token } = request.headers
      const isLogin = request.url === '/login'
      response.writeHead(isLogin && authorization?.includes('bW9uaXRvcjpnb29kLXBhc3N3b3Jk') ? 200 : 403, {
        'X-SDS-AUTH-TOKEN': 'MARKED-TOKEN/1',
      })
      response.end(echo(`${token} ${authorization} ${Buffer.from(authorization?.slice(6) ?? '', 'base64')}`))
    })
    const failureOf = async (password: string) => {
      await using setup = startClient(
        `{name: a, base_url: "${server.url}", auth: {username: monitor, password: ${password}}}`,
      )
      return String(await setup.client.nodes('p', never()).catch((cause: unknown) => cause))
    }
    for (const message of [await failureOf('good-password'), await failureOf('MARKED-PASSWORD')]) {
      expect(message).toContain('HTTP 403')
      expect(message).not.toMatch(/MARKED|good-password|TUFSS0VE/)
    }
  })
})
