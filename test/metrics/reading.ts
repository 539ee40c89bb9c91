import { decodeFeed, type FeedReading } from '../../src/api/feed/feed.ts'
import { ATTRIBUTES, DISK_COUNTS, HEALTH_STATES } from '../../src/catalogue.ts'
import { createPart, type Part } from '../../src/metrics/lines.ts'
import { addForecasts, renderNodes } from '../../src/metrics/samples.ts'

/** A feed in the shapes of a real system, with every attribute, and names that need escaping. */
export function feedBody(nodes: number, t = 1_785_312_642): unknown {
  return { _embedded: { _instances: Array.from({ length: nodes }, (_, index) => nodeBody(index, t)) } }
}

export function feedReading(nodes: number): FeedReading {
  return decodeFeed(feedBody(nodes))
}

const LABELS = { system: 'frank"furt', poolId: 'urn:storageos:VirtualArray:1', pool: 'pool\\a' }

/** The samples and the forecasts of one pool, rendered. Its labels need escaping. */
export function feedParts(nodes: number): readonly Part[] {
  const reading = feedReading(nodes)
  const forecasts = new Map(reading.nodes.map(({ id, forecasts }) => [id, forecasts]))
  const ofNodes = renderNodes(reading, LABELS)
  return [
    ...(ofNodes === undefined ? [] : [ofNodes]),
    createPart((add) => addForecasts(add, reading, forecasts, LABELS)),
  ]
}

/** Names that the text format has to escape, or that are merely unusual. */
const ODD_NAMES = [
  'node "one"',
  'back\\slash',
  'new\nline',
  'Зал 2 – Knoten',
  'lone \ud800 surrogate',
  'tab\there',
]

function nodeBody(index: number, t: number): Record<string, unknown> {
  const counts = Object.fromEntries(Object.keys(DISK_COUNTS).map((key, offset) => [key, String(offset)]))
  const currents = ATTRIBUTES.map(({ name, tag }, offset) => [
    `${name}Current`,
    [{ t: String(t + offset), [tag]: String((index + 1) * 1.25 + offset) }],
  ])
  return {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    displayName: ODD_NAMES[index] ?? `node-${index}`,
    storagePoolName: 'pool "a"',
    apiChange: '1',
    healthStatus: HEALTH_STATES[index % HEALTH_STATES.length],
    numDisks: '60',
    ...counts,
    ...Object.fromEntries(currents),
    transactionErrorsCurrent: {
      all: [{ t: String(t), Rate: '7' }],
      errorSuccessTotals: [{ successTotal: '2020', errorTotal: '152' }],
      types: [
        {
          errorType: '404 (S3)',
          category: 'User',
          errorCount: '152',
          errorRate: [{ t: String(t), Rate: '7' }],
        },
      ],
    },
    allocatedCapacityForecast: [
      { unit: 'day', forecast: '9', history: '7', target: '80' },
      { unit: '', forecast: 'N/A', history: '28', target: '90' },
    ],
  }
}
