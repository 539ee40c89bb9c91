import type { SystemClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import { CURRENT_QUERY, nodesPath } from '../../../api/errors/paths.ts'
import { decodeFeed, type FeedReading, poolNameIn } from '../../../api/feed/feed.ts'
import type { PoolRef } from '../../../api/feed/pools.ts'
import { isObject, parseJson } from '../../../api/parse/json.ts'
import { REJECTIONS } from '../../../api/parse/reads.ts'
import { type FeedBandwidthUnit, HEALTH_STATES } from '../../../catalogue.ts'
import { uniqueNames } from '../../../metrics/samples.ts'
import { counted, namesText } from '../../../text.ts'
import { allOf, type Finding, failed, filled } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

interface FeedSource {
  readonly client: SystemClient
  readonly bandwidthUnit: FeedBandwidthUnit
}

/** Reads the feed of a pool, and returns the JSON and the decoded reading. */
export async function readRaw(
  { client, bandwidthUnit }: FeedSource,
  pool: PoolRef,
  signal: AbortSignal,
): Promise<UnnamedFeed> {
  const path = `${nodesPath(pool.id)}?${CURRENT_QUERY}`
  const { body, reading } = await client.read(
    { operation: 'nodes', path },
    (text) => decoded(text, bandwidthUnit),
    signal,
  )
  return { pool, body, reading, readAt: performance.now() }
}

type UnnamedFeed = Omit<RawFeed, 'label'>

/** @throws {ApiError} with the shape of a response that cannot be decoded */
function decoded(text: string, bandwidthUnit: FeedBandwidthUnit): Pick<RawFeed, 'body' | 'reading'> {
  try {
    const body = parseJson(text)
    return { body, reading: decodeFeed(body, bandwidthUnit) }
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure
    throw new ApiError(failure.reason, `${failure.detail}; ${shapeOf(text)}`)
  }
}

const MAX_MEMBERS = 10
const MAX_NAME_CHARACTERS = 40

/** Length and member names. Values are not included because a response may echo a secret. */
function shapeOf(text: string): string {
  const length = `the response has ${counted(text.length, 'character')}`
  try {
    const body: unknown = JSON.parse(text)
    if (!isObject(body)) return `${length} and is not an object`
    const names = Object.keys(body).slice(0, MAX_MEMBERS)
    return `${length} and the members ${names.map((name) => name.slice(0, MAX_NAME_CHARACTERS)).join(', ')}`
  } catch {
    return length
  }
}

export const feedCheck = systemCheck({
  title: 'feed',
  needs: ['client', 'pools'],
  gives: ['feeds'],
  run: async ({ system, signal }, { client, pools }) => {
    const source = { client, bandwidthUnit: system.performance.feedBandwidthUnit }
    const outcomes = await Promise.allSettled(pools.map((pool) => readRaw(source, pool, signal)))
    signal.throwIfAborted()
    const labels = poolLabels(pools, outcomes)
    const results = outcomes.map((outcome, index) => {
      const label = labels[index] ?? ''
      if (outcome.status === 'rejected') return { findings: [failed(outcome.reason, { subject: label })] }
      const feed = { ...outcome.value, label }
      return { findings: describe(feed), feed }
    })
    const feeds = results.flatMap(({ feed }) => feed ?? [])
    return { findings: results.flatMap(({ findings }) => findings), facts: { feeds: filled(feeds) } }
  },
})

/** The values of the label `pool`. */
function poolLabels(pools: readonly PoolRef[], outcomes: readonly PromiseSettledResult<UnnamedFeed>[]) {
  return uniqueNames(
    pools.map(({ id, name }, index) => {
      const outcome = outcomes[index]
      const inFeed = outcome?.status === 'fulfilled' ? poolNameIn(outcome.value.reading) : undefined
      return { id, name: inFeed ?? name }
    }),
  )
}

function describe({ label, reading: { nodes, rejected } }: RawFeed): Finding[] {
  return allOf(label, [
    [nodes.length > 0, 'ok', counted(nodes.length, 'node')],
    [nodes.length === 0, 'warn', 'the response has no nodes', EMPTY],
    [nodes.length > 0 && rejected.length > 0, 'warn', rejections(rejected), REPORT],
  ])
}

const EMPTY = 'check in the management interface whether the pool is empty'
const REPORT = 'report this with the version of the system; no setting changes it'
const MAX_EXAMPLES = 3

function rejections(rejected: FeedReading['rejected']): string {
  const times = rejected.reduce((sum, value) => sum + value.times, 0)
  const examples = rejected.slice(0, MAX_EXAMPLES).map(({ attribute, reason, node, text }) => {
    const where = node === '' ? '' : ` of node ${node}`
    return `${attribute}${where} ${REJECTIONS[reason]}${text === '' ? '' : ` ("${text}")`}`
  })
  const more = rejected.length > MAX_EXAMPLES ? '; …' : ''
  return `${counted(times, 'value')} invalid according to the API document, not exported: ${examples.join('; ')}${more}`
}

type Node = Pick<RawFeed['reading']['nodes'][number], 'health'>

/** Checks that all nodes are in a good state. The command nodes shows the states. */
export const healthCheck = systemCheck({
  title: 'health',
  needs: ['feeds'],
  run: (_, { feeds }) => feeds.filter(({ reading }) => reading.nodes.length > 0).flatMap(healthOf),
})

/** States that need no action: a node in maintenance was put there. */
const QUIET_STATES: readonly string[] = ['Good', 'Maintenance']

function healthOf({ label: subject, reading }: RawFeed): Finding[] {
  const names = uniqueNames(reading.nodes)
  const nodes = reading.nodes.map(({ health }, index) => ({ health, name: names[index] ?? '' }))
  const isKnown = ({ health }: Node) => HEALTH_STATES.some((state) => state === health)
  const unknown = nodes.filter((node) => !isKnown(node))
  const troubled = nodes.filter((node) => isKnown(node) && !QUIET_STATES.includes(node.health ?? ''))
  const text = countsOf(nodes)
  const isQuiet = troubled.length + unknown.length === 0
  const unknownNames = namesText(unknown, ({ name }) => name)
  const isGood = nodes.every(({ health }) => health === 'Good')
  const states = namesText(troubled, ({ name, health }) => `${name} (${health})`)
  return allOf(subject, [
    [troubled.length > 0, 'warn', `${text}: ${states}`, NOT_OURS],
    [unknown.length > 0, 'warn', `${text}: unknown or missing health status of ${unknownNames}`, CHECK],
    [isQuiet, isGood ? 'ok' : 'info', text],
  ])
}

const NOT_OURS =
  'this is the state of the storage system, not of the exporter: see sds-exporter nodes and the management interface'
const CHECK = 'check these nodes in the management interface, and report the unknown status'

/** `2 Good, 1 Bad` */
function countsOf(nodes: readonly Node[]): string {
  const counts = new Map<string, number>()
  for (const { health = 'missing' } of nodes) counts.set(health, (counts.get(health) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
}
