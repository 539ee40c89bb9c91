import { expect, test } from 'vitest'
import { RECORDED } from '../../grafana/mixin/promql/metrics.ts'
import { EXAMPLE_QUERIES, metricsReference } from '../../scripts/generators/metrics_reference.ts'
import { REASONS } from '../../src/api/errors/reasons.ts'
import { ATTRIBUTES } from '../../src/catalogue.ts'
import { FAMILIES } from '../../src/metrics/families.ts'
import { KNOWN_METRICS } from '../grafana/promql/known_metrics.ts'
import { parse, selectorsOf } from '../grafana/promql/parse.ts'

const lines = metricsReference().split('\n')

test('a row of a family has type, unit, labels and HELP', () => {
  expect(lines).toContain(
    '| `sds_node_disk_space_free_level_bytes` | gauge | bytes | `system`, `pool`, `node`, `level` | Free usable disk space on the Good disks of the node, by level. Source: diskSpaceFreeL1, diskSpaceFreeL2 (capacity, Bytes). |',
  )
})

test('a row of an attribute has its source and its metric', () => {
  expect(lines).toContain(
    '| `diskSpaceReserved` | capacity | Space | Bytes | yes | yes | `sds_node_disk_space_reserved_bytes` |  |',
  )
  expect(lines).toContain(
    '| `diskReadBandwidthGeo` | diskIO | diskIO | MB/s |  |  | `sds_node_disk_read_purpose_bytes_per_second{purpose="geo_replication"}` | `*_IO_Statistics_data_*: read_GEOTotal` |',
  )
})

test.each([
  ['families', FAMILIES.map(({ name }) => name)],
  ['reasons', Object.keys(REASONS)],
  ['attributes', ATTRIBUTES.map(({ name }) => name)],
])('has one row for each of the %s', (_, names) => {
  const rows = names.map((name) => lines.filter((line) => line.startsWith(`| \`${name}\` |`)).length)
  expect(rows).toEqual(names.map(() => 1))
})

test.each(EXAMPLE_QUERIES)('the example "%s" selects metrics and labels that exist', (_, query) => {
  const selectors = selectorsOf(parse(query))
  expect(selectors.length).toBeGreaterThan(0)
  for (const { metric, matchers } of selectors) {
    const labels = KNOWN_METRICS.get(metric)
    if (labels === undefined) expect(Object.values(RECORDED)).toContain(metric)
    else for (const { label } of matchers) expect(labels, metric).toContain(label)
  }
})

test.each(Object.values(RECORDED))('has the recorded series %s once', (record) => {
  expect(lines.filter((line) => line === `\`${record}\`:`)).toHaveLength(1)
})
