import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PushStatus } from '../../../src/otlp/push.ts'
import { createResponseSlots } from '../../../src/server/response_slots.ts'
import { createStatusApp } from '../../../src/server/status/status_app.ts'
import { withPoll } from '../../../src/state/changes.ts'
import { createRecent } from '../../../src/status/recent.ts'
import type { Status } from '../../../src/status/status.ts'
import { visibleText } from '../../../src/text.ts'
import { failedPoll, polledSystem } from '../../status/systems.ts'
import { get, request } from '../../support/http.ts'
import { pageListener, statusSources } from './status_setup.ts'

const HOSTILE = '\u202e<script>alert(1)</script>"\'&\u0007'
const SYSTEMS = [
  withPoll(
    polledSystem('frankfurt', { hot: [{ name: 'hot-1' }, { name: HOSTILE }], cold: [{ name: 'cold-1' }] }),
    'urn:cold:',
    failedPoll(9),
  ),
  polledSystem('paris', { hot: [{ name: 'hot-1', health: 'Bad' }] }),
]

// The clock stands still: a slot of the charts takes 15 s.
const recent = createRecent(() => 0)
for (const system of SYSTEMS) recent.changed(system)
const listener = pageListener(statusSources(SYSTEMS, { recent }), {
  origin: { listenHosts: ['127.0.0.1'], allowedHosts: [] },
})
beforeAll(() => listener.start())
afterAll(() => listener.stop())

const PATH = '/api/v1/status'
async function statusAt(query: string): Promise<Status> {
  const { status, text } = await get(`${listener.url}${PATH}${query}`)
  expect(status).toBe(200)
  return JSON.parse(text)
}
const namesIn = ({ systems }: Status) =>
  systems.map(
    ({ name, pools }) => `${name}: ${pools.map((pool) => `${pool.name} ${pool.nodes.length}`).join(', ')}`,
  )

describe('GET /api/v1/status', () => {
  test('and the page are within the limit of responses in flight', async () => {
    const newContext = () => {
      const incoming = new IncomingMessage(new Socket())
      return new Koa().createContext(incoming, new ServerResponse(incoming))
    }
    const slots = createResponseSlots(1, () => 0)
    slots.take(newContext().res, { group: 'status', exposition: {} })
    const app = createStatusApp({ ...statusSources(SYSTEMS, { recent }), ready: () => true, slots })
    await expect(app.document(newContext())).rejects.toMatchObject({ status: 503 })
    await expect(app.page(newContext())).rejects.toMatchObject({ status: 503 })
  })

  test('has all systems, pools and nodes', async () => {
    const status = await statusAt('')
    expect(status).toMatchObject({ version: '1.2.3', ready: true, state: 'critical', summary: '2 problems' })
    expect(namesIn(status)).toEqual(['frankfurt: hot 2, cold 1', 'paris: hot 1'])
  })

  test('is JSON that is not stored and not readable by other sites', async () => {
    const { headers } = await get(`${listener.url}${PATH}`)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  test('keeps names as they are, with invisible characters escaped', async () => {
    const { text } = await get(`${listener.url}${PATH}`)
    expect(text).toContain('\\u202e')
    expect(text.trimEnd()).toBe(visibleText(text.trimEnd()))
    const [frankfurt] = (await statusAt('')).systems
    expect(frankfurt?.pools[0]?.nodes.map(({ name }) => name)).toContain(HOSTILE)
  })

  test('is compressed on request, the same document', async () => {
    const plain = await get(`${listener.url}${PATH}`)
    const packed = await get(`${listener.url}${PATH}`, { 'Accept-Encoding': 'gzip' })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(packed.body).toString()).toBe(plain.text)
    const head = await request('HEAD', `${listener.url}${PATH}`)
    expect([head.status, head.body.length]).toEqual([200, 0])
  })

  test.each([
    ['?system=paris', ['paris: hot 1']],
    ['?system=frankfurt&pool=urn:cold:', ['frankfurt: cold 1']],
    ['?system=frankfurt&pool=cold', ['frankfurt: cold 1']],
    ['?q=COLD', ['frankfurt: cold 1']],
    ['?q=hot-1', ['frankfurt: hot 1', 'paris: hot 1']],
    ['?q=hot-1&system=paris', ['paris: hot 1']],
    ['?q=paris', ['paris: hot 1']],
    ['?q=lisbon', []],
  ])('selects with %s', async (query, names) => {
    expect(namesIn(await statusAt(query))).toEqual(names)
  })

  test('has the problems of what is selected', async () => {
    const problemsAt = async (query: string) => (await statusAt(query)).problems.map(({ system }) => system)
    expect(await problemsAt('?system=paris')).toEqual(['paris'])
    expect(await problemsAt('?system=frankfurt&pool=hot')).toEqual([])
  })

  test.each([
    ['?system=lisbon', 404, 'no system or pool'],
    ['?system=paris&pool=cold', 404, 'no system or pool'],
    ['?pool=cold', 400, 'needs the parameter system'],
    ['?system=a&system=b', 400, 'system, pool, q, each at most once'],
    ['?url=http://other', 400, 'system, pool, q, each at most once'],
  ])('refuses %s', async (query, status, reason) => {
    const answer = await get(`${listener.url}${PATH}${query}`)
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(reason)])
  })
})

describe('GET /', () => {
  test('escapes names, and shows invisible characters', async () => {
    const { status, text } = await get(`${listener.url}/`)
    expect(status).toBe(200)
    expect(text).toContain('\\u202e&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\u0007')
    expect(text).not.toContain('<script>alert')
    expect(text).not.toContain('\u202e')
  })

  test('has a strict policy: no inline code but its own, nothing from elsewhere', async () => {
    const { headers, text } = await get(`${listener.url}/`)
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+';/)
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/\sstyle="|\son\w+="|src="http/)
  })

  test('says that there is no such system', async () => {
    const { status, text } = await get(`${listener.url}/?system=lisbon`)
    expect([status, text]).toEqual([404, expect.stringContaining('no system or pool with this name')])
    expect((await get(`${listener.url}/?x=1`)).status).toBe(400)
  })
})

test.each(['/', PATH])('%s refuses unknown host names', async (path) => {
  const answer = await request('GET', `${listener.url}${path}`, { headers: { Host: 'evil.example.net' } })
  expect(answer.status).toBe(421)
})

test('the push with OTLP is shown only while it is on', async () => {
  let push: PushStatus | undefined
  const pages = pageListener(statusSources(SYSTEMS, { recent, push: () => push }))
  await pages.start()
  onTestFinished(() => pages.stop())
  const shown = async () => {
    const document: Status = JSON.parse((await get(`${pages.url}${PATH}`)).text)
    const [, line] = /OTLP push to (.*)<\/p>/.exec((await get(`${pages.url}/`)).text) ?? []
    return { document: document.push, line: line?.replaceAll(/<[^>]+>/g, '') }
  }
  expect(await shown()).toEqual({ document: undefined, line: undefined })
  const endpoint = 'http://collector:4318/v1/metrics'
  push = { endpoint, lastSuccess: undefined, last: undefined }
  expect(await shown()).toEqual({
    document: { endpoint, result: null, error: null, remedy: null, last_success_timestamp_seconds: null },
    line: `${endpoint}: no push has succeeded`,
  })
  const last = { result: 'refused', problem: 'HTTP 401: <b>', remedy: 'correct it' } as const
  push = { endpoint, lastSuccess: 1_700_000_000, last }
  expect(await shown()).toEqual({
    document: {
      ...{ endpoint, result: 'refused', error: 'HTTP 401: <b>', remedy: 'correct it' },
      last_success_timestamp_seconds: 1_700_000_000,
    },
    line: `${endpoint}: last success 22:13:20 UTC, refused: HTTP 401: &lt;b&gt; (correct it)`,
  })
})
