import type { MergedReading } from '../../../api/query/merge.ts'
import { createExposition } from '../../../metrics/exposition.ts'
import { renderPart } from '../../../metrics/lines.ts'
import { feedSamples, type PoolLabels } from '../../../metrics/samples.ts'

type Labels = Readonly<Record<string, string>>

/** A line of an exposition. */
interface ExposedSample {
  readonly metric: string
  readonly labels: Labels
  readonly value: number
}

/** The exposition of a reading, as on `/metrics`. */
export function expositionOf(reading: Pick<MergedReading, 'nodes'>, labels: PoolLabels): string {
  return createExposition([renderPart(feedSamples(reading, labels))]).text('text')
}

const LINE = /^(\w+)\{(.*)\} (\S+)$/s
const LABEL = /(\w+)="((?:\\.|[^"\\])*)"/g
const ESCAPES: Labels = { '\\\\': '\\', '\\"': '"', '\\n': '\n' }

/** Parses the Prometheus text format. */
export function parseExposition(text: string): ExposedSample[] {
  return text.split('\n').flatMap((line) => {
    const [, metric, labels = '', value] = LINE.exec(line) ?? []
    return metric === undefined ? [] : [{ metric, labels: parseLabels(labels), value: Number(value) }]
  })
}

function parseLabels(text: string): Labels {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\[\\"n]/g, (pair) => ESCAPES[pair] ?? pair),
    ]),
  )
}

/** Looks up samples of an exposition by the id of a node. */
export function createLookup(text: string) {
  const key = (metric: string, labels: Labels) =>
    `${metric} ${JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`
  const samples = parseExposition(text)
  const values = new Map(samples.map(({ metric, labels, value }) => [key(metric, labels), value]))
  const nodes = new Map(
    samples
      .filter(({ metric }) => metric === 'sds_node_info')
      .map(({ labels: { node_id = '', system = '', pool = '', node = '' } }) => [
        node_id,
        { system, pool, node },
      ]),
  )
  return {
    /** Number of nodes. */
    nodes: nodes.size,
    has: (nodeId: string) => nodes.has(nodeId),
    value(nodeId: string, metric: string, labels: Labels): number | undefined {
      const node = nodes.get(nodeId)
      return node && values.get(key(metric, { ...node, ...labels }))
    },
  }
}
