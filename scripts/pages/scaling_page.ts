import { markdownTable } from '../markdown/markdown.ts'
import { pageWith } from './page.ts'
import { performanceRows, rowOf } from './performance_figures.ts'

/** The largest fleet of one exporter in docs/performance.md. */
const MEASURED_NODES = 10_080
const NODES_PER_SYSTEM = 100
const STEPS = [100, 1000, 10_000, 100_000, 1_000_000]
const MEBIBYTES_PER_GIBIBYTE = 1024
const SECONDS_PER_DAY = 86_400

/** What the page takes from others. */
const TAKEN = {
  interval: {
    value: 60,
    text: 'Seconds between polls, and between scrapes',
    from: 'defaults of this exporter',
  },
  prometheusKib: {
    value: 4,
    text: 'KiB of memory of Prometheus for each series, with queries and rules',
    from: 'published measurements have 2 to 8',
  },
  prometheusSeries: {
    value: 5_000_000,
    text: 'Series of one Prometheus server',
    from: 'with the row above 19 GiB, a machine of 32 GiB',
  },
  sampleBytes: {
    value: 1.5,
    text: 'Bytes of a sample on the disk of Prometheus',
    from: 'Prometheus documents 1 to 2',
  },
  victoriaSeries: {
    value: 50_000_000,
    text: 'Series of one VictoriaMetrics without a cluster',
    from: 'its documentation, "Capacity planning"',
  },
  mimirSeries: {
    value: 300_000,
    text: 'Series in memory for each core and 2.5 GB of the ingesters of Mimir, before replication',
    from: 'its documentation, "Planning Grafana Mimir capacity"',
  },
} as const

interface PerExporter {
  readonly series: number
  readonly cpuSeconds: number
  readonly memoryMib: number
}

/** docs/scaling.md with what follows from docs/performance.md. */
export function scalingPage() {
  const measured = measuredFigures()
  return pageWith('docs/scaling.md', { figures: figuresTable(measured), steps: stepsTable(measured) })
}

function measuredFigures(): PerExporter {
  const rows = performanceRows()
  const [, memory = '', rest = ''] = rowOf(rows, /memory, 10,080 nodes \(.*at rest/)
  const after = rowOf(rows, /memory, 10,080 nodes, after/)[2] ?? ''
  const cpu = rowOf(rows, /round of polls and a gzip scrape, 10,080 nodes/)[2] ?? ''
  return {
    series: numberIn(/\(([\d,]+) samples\)/.exec(memory)?.[1]),
    memoryMib: Math.max(numberIn(rest), numberIn(after)),
    cpuSeconds: numberIn(cpu),
  }
}

/** The number at the beginning of a text: `1,234.5 ms` → 1234.5. @throws without one */
function numberIn(text = ''): number {
  const found = Number(/^[\d,.]+/.exec(text)?.[0].replaceAll(',', ''))
  if (Number.isNaN(found)) throw new Error(`no number in '${text}'`)
  return found
}

const whole = (value: number) => Math.round(value).toLocaleString('en')
const short = (value: number) => (value < 10 ? value.toFixed(value < 1 ? 2 : 1) : whole(value))

function figuresTable({ series, cpuSeconds, memoryMib }: PerExporter): string {
  const { interval } = TAKEN
  const rows = [
    [
      'Series of a node',
      short(series / MEASURED_NODES),
      `${whole(series)} series of ${whole(MEASURED_NODES)} nodes`,
    ],
    [
      `Share of a core for ${whole(MEASURED_NODES)} nodes`,
      `${short((cpuSeconds / interval.value) * 100)} %`,
      `${cpuSeconds} s of CPU for a round of polls with a scrape, every ${interval.value} s`,
    ],
    [
      `Memory for ${whole(MEASURED_NODES)} nodes`,
      `${short(memoryMib / MEBIBYTES_PER_GIBIBYTE)} GiB`,
      'the larger one of the two figures; a container needs half as much again',
    ],
    ...Object.values(TAKEN).map(({ value, text, from }) => [text, value.toLocaleString('en'), from]),
  ]
  return markdownTable(['Figure', 'Value', 'From'], rows)
}

const STEPS_HEAD = [
  'Nodes',
  'Systems of 100 nodes',
  'Series',
  'Samples a second',
  'Exporters',
  'Cores, memory of them',
  'Prometheus servers that scrape',
  'Memory, disk a day of Prometheus',
  'Engine',
]

function stepsTable({ series, cpuSeconds, memoryMib }: PerExporter): string {
  const { interval, prometheusKib, prometheusSeries, sampleBytes } = TAKEN
  const rows = STEPS.map((nodes) => {
    const share = nodes / MEASURED_NODES
    const all = series * share
    const perSecond = all / interval.value
    const memoryGib = (memoryMib * share) / MEBIBYTES_PER_GIBIBYTE
    const prometheusGib = (all * prometheusKib.value) / MEBIBYTES_PER_GIBIBYTE ** 2
    const diskGb = (perSecond * SECONDS_PER_DAY * sampleBytes.value) / 1e9
    return [
      whole(nodes),
      whole(nodes / NODES_PER_SYSTEM),
      whole(all),
      whole(perSecond),
      whole(Math.ceil(share)),
      `${short((cpuSeconds * share) / interval.value)}, ${short(memoryGib)} GiB`,
      whole(Math.ceil(all / prometheusSeries.value)),
      `${short(prometheusGib)} GiB, ${short(diskGb)} GB`,
      engineOf(all),
    ]
  })
  return markdownTable(STEPS_HEAD, rows)
}

function engineOf(series: number): string {
  const { prometheusSeries, victoriaSeries, mimirSeries } = TAKEN
  const cores = whole(series / mimirSeries.value)
  if (series <= prometheusSeries.value) return '[one Prometheus](#one-prometheus)'
  if (series <= victoriaSeries.value)
    return '[shards of Prometheus](#shards) with Thanos, or one [VictoriaMetrics](#agents-and-one-store)'
  return `[agents](#agents-and-one-store) with a cluster of VictoriaMetrics or Mimir (ingesters: ${cores} cores for each replica)`
}
