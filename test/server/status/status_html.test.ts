import { describe, expect, test } from 'vitest'
import type { StatusAppOptions } from '../../../src/server/status/status_app.ts'
import { withPoll } from '../../../src/state/changes.ts'
import { newSystem, type SystemState } from '../../../src/state/state.ts'
import { createRecent } from '../../../src/status/recent.ts'
import type { Status } from '../../../src/status/status.ts'
import { T } from '../../readings/setup.ts'
import { failedPoll, type NodeOptions, polledSystem } from '../../status/systems.ts'
import { get } from '../../support/http.ts'
import { pageListener, pollingOf, statusSources } from './status_setup.ts'

// The pages are compared with files. `npx vitest run -u test/server/status/status_html.test.ts` writes them.

const nodes = (count: number, more: Partial<NodeOptions> = {}): NodeOptions[] =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index + 1}`, ...more }))

/** Members of a node that are not in the default ones, in the units of the feed. */
const FIGURES = {
  nodeCpuUtilizationCurrent: [{ t: T, Percent: 12.5 }],
  nodeMemoryUtilizationCurrent: [{ t: T, Percent: 45.2 }],
  transactionReadLatencyCurrent: [{ t: T, Latency: 35 }],
  transactionWriteLatencyCurrent: [{ t: T, Latency: 1200 }],
  transactionReadTransactionsPerSecCurrent: [{ t: T, TPS: 400 }],
  transactionWriteTransactionsPerSecCurrent: [{ t: T, TPS: 100 }],
  transactionReadBandwidthCurrent: [{ t: T, Bandwidth: 20 }],
}

const GOOD = polledSystem('good', {
  p: [
    { name: 'n1', more: { transactionWriteBandwidthCurrent: [{ t: T, Bandwidth: 20 }] } },
    { name: 'n2', allocatedRatio: 0.25, more: FIGURES },
  ],
})
const SERVER_ERROR = { reason: 'server_error', message: 'pools: 503', remedy: 'wait' } as const
const discovery = failedPoll(T - 90, SERVER_ERROR).failure
const TROUBLED: SystemState = {
  ...withPoll(
    polledSystem('troubled', {
      bad: [
        { name: 'n1', health: 'Bad', badDisks: 2 },
        { name: 'n2', health: 'Maintenance', allocatedRatio: 0.86 },
        { name: 'n3', allocatedRatio: 0.97, t: T - 3600 },
        { name: 'n4', more: { nodeCpuUtilizationCurrent: 'unreadable' } },
      ],
    }),
    'urn:bad:',
    failedPoll(T - 10),
  ),
  clockSkewSeconds: -42.4,
  tlsNotAfterSeconds: T + 20 * 86_400,
  discoveryFailure: discovery,
}
const RECOVERED = withPoll(
  withPoll(polledSystem('recovered', { p: nodes(1) }), 'urn:p:', failedPoll(T - 60)),
  'urn:p:',
  { at: T - 5, seconds: 0.1, failure: undefined },
)
const POOLS = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`pool${index + 1}`, nodes(1)]))
const SYSTEMS = [GOOD, TROUBLED, RECOVERED, newSystem('new')]
const LARGE = [polledSystem('large', { p: nodes(25) })]
const MANY = Array.from({ length: 14 }, (_, index) => {
  const p = nodes(index === 13 ? 0 : 1, { health: index === 12 ? 'Bad' : 'Good' })
  return polledSystem(`s${index + 1}`, { p })
})

/** An account that is refused, at a system of two endpoints that fails and is paused. */
function refused(name: string) {
  const polling = pollingOf(name)
  const { client } = polling
  const endpoints = [0, 8000].map((cooldownMs, index) => {
    return { baseUrl: `https://ecs${index + 1}.example.net:4443`, cooldownMs }
  })
  const session = { ...client.session, state: 'refused' as const, pauseMs: 30_000 }
  const operations = { ...client.operations, running: 1, waiting: 3 }
  return {
    ...polling,
    nextPollMs: (T + 0.2) * 1000,
    client: { ...client, endpoints, session, operations, pauseMs: 4500 },
  }
}

/** What is served for these systems at T, at each path. */
async function served(systems: readonly SystemState[], path: string, more: Partial<StatusAppOptions> = {}) {
  const recent = createRecent(() => 0)
  for (const system of systems) recent.changed(system)
  const listener = pageListener(statusSources(systems, { recent, ...more }))
  await listener.start()
  try {
    return await get(`${listener.url}${path}`)
  } finally {
    await listener.stop()
  }
}

/** Without style and script, and with a line for each element. Only one page shows the coverage. */
const contentOf = (page: string, isWhole = false) =>
  `${page
    .replace(isWhole ? '' : /<details class="coverage"[\s\S]*?<\/details>/g, '')
    // Each resource of the catalogue is in it.
    .replace(/\(off: [\w, ]+\)/g, '(off: …)')
    .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
    .replace(/\s*(<\w)/g, '\n$1')
    .replace(/ +$/gm, '')
    .trim()}\n`

describe('the status page', () => {
  test.each(['p', 'urn:p:'])('names the pool in the breadcrumb, selected by %s', async (pool) => {
    const { text } = await served(SYSTEMS, `/?system=good&pool=${pool}`)
    expect(text).toContain('<a href="/?system=good">good</a> / p</nav>')
    // Only other pages have a link to this one.
    expect(text).not.toContain('Show good / p')
  })

  test('of all systems', async () => {
    const { status, text } = await served(SYSTEMS, '/')
    expect(status).toBe(200)
    await expect(contentOf(text)).toMatchFileSnapshot('golden/systems.html')
  })

  test.each<[string, readonly SystemState[], string, Partial<StatusAppOptions>?]>([
    ['system', SYSTEMS, '/?system=troubled', { polling: refused }],
    ['pool', SYSTEMS, '/?system=good&pool=p', { documentationUrl: 'https://docs.example.net/' }],
    ['search', SYSTEMS, '/?q=N2'],
    ['search_of_nothing', SYSTEMS, '/?q=x%3Cy'],
    ['not_found', SYSTEMS, '/?system=none', { adminUrl: () => 'https://admin.example.net:9439/' }],
    ['no_system', [], '/'],
  ])('%s has these lines beside those of all systems', async (name, systems, path, more) => {
    const { status, text } = await served(systems, path, more)
    expect(status).toBe(name === 'not_found' ? 404 : 200)
    const common = new Set(contentOf((await served(SYSTEMS, '/')).text).split('\n'))
    const own = contentOf(text, name === 'pool')
      .split('\n')
      .filter((line) => !common.has(line))
    await expect(`${own.join('\n')}\n`).toMatchFileSnapshot(`golden/${name}.html`)
  })
})

test('the document of the status', async () => {
  const { text } = await served(SYSTEMS, '/api/v1/status?system=troubled')
  const document: Status = JSON.parse(text)
  // One of each list that has the same members for each attribute and resource, and what is unusual.
  const isShown = ({ unreadable = 0 }: { unreadable?: number }, index: number) =>
    index === 0 || unreadable > 0
  const isLong = (key: string) => key === 'attributes' || key === 'resources'
  const short = JSON.stringify(document, (key, value) => (isLong(key) ? value.filter(isShown) : value), 1)
  await expect(`${short}\n`).toMatchFileSnapshot('golden/status.txt')
})

test('of many systems the worst are shown in full, and the others as links', async () => {
  const { text } = await served(MANY, '/')
  const [above = '', others = ''] = contentOf(text).split('Other systems</h2>')
  const shown = above.match(/(?<=class="card system \w+" data-key="system )\w+/g)
  expect(shown?.join(' ')).toBe('s13 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11')
  expect(others.match(/(?<=href=")[^"]*system=\w+/g)).toEqual(['/?system=s12', '/?system=s14'])
})

test('of a pool with many nodes the worst are shown, with a link to all', async () => {
  const { text } = await served(LARGE, '/')
  expect(text.match(/data-key="id-n\d+"/g)).toHaveLength(20)
  expect(text).toContain(
    '<p class="quiet">20 of 25 nodes shown, the worst first: <a href="/?system=large&amp;pool=urn%3Ap%3A">show all</a></p>',
  )
})

test('the bar of a used space has the severity of the node or the pool', async () => {
  const ratios = { pool80: 0.8, pool90: 0.9 }
  const pools = Object.entries(ratios).map(([name, allocatedRatio]) => [name, [{ name, allocatedRatio }]])
  const { text } = await served([polledSystem('a', Object.fromEntries(pools))], '/')
  const barsOf = (share: number) =>
    text.match(new RegExp(`(?<=<rect class=")\\w+(?=" x="0" width="${share}")`, 'g'))
  expect(barsOf(80)).toEqual(['warning', 'notice'])
  expect(barsOf(90)).toEqual(['critical', 'warning'])
  expect(text.match(/(?<=<tr class=")\w+(?=" data-key="id-pool)/g)?.sort()).toEqual(['notice', 'warning'])
})

test('of a long list of pools or nodes the worst are shown', async () => {
  const pools = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`p${index}`, []]))
  const systems = [
    polledSystem('pools', POOLS),
    polledSystem('nodes', { p: nodes(501) }),
    polledSystem('most', pools),
  ]
  const linesOf = async (path: string) => {
    const { text } = await served(systems, path)
    const lines = contentOf(text).split('\n')
    return lines.flatMap((line, index) =>
      line.includes('shown, the worst first') ? lines.slice(index, index + (line.endsWith(':') ? 2 : 1)) : [],
    )
  }
  expect({
    all: await linesOf('/'),
    pool: await linesOf('/?system=nodes&pool=urn%3Ap%3A'),
    pools: await linesOf('/?system=most'),
  }).toMatchInlineSnapshot(`
    {
      "all": [
        "<p class="quiet">25 of 26 pools shown, the worst first:",
        "<a href="/?system=pools">show all</a></p></div>",
        "<p class="quiet">25 of 501 pools shown, the worst first:",
        "<a href="/?system=most">show all</a></p></div>",
      ],
      "pool": [
        "<p class="quiet">500 of 501 nodes shown, the worst first: search for others</p>",
      ],
      "pools": [
        "<p class="quiet">500 of 501 pools shown, the worst first: search for others</p></div>",
      ],
    }
  `)
})
