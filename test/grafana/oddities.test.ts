import { expect, test } from 'vitest'
import { type Answers, run, unitTest } from './engine.ts'
import { constant, EXPORTERS, type InputSeries, onBoth, targetOf } from './world.ts'

interface Oddity {
  readonly what: string
  readonly world: readonly InputSeries[]
  readonly expected: Readonly<Record<string, Answers>>
}

const POOL = { system: 'fra', pool: 'p1' }
const NODE = { ...POOL, node: 'n1' }
const POOL_ID = { system: 'fra', pool_id: 'id1' }

/** What a pair of exporters tells when they polled on either side of a renaming. */
const twoNames = (): InputSeries[] =>
  ['new', 'old'].map((pool, index) =>
    constant('sds_pool_info', { ...POOL_ID, pool, ...targetOf(EXPORTERS[index] ?? '') }, 1),
  )

const ODDITIES: readonly Oddity[] = [
  {
    what: 'a pool that two exporters name differently is one pool',
    world: [...twoNames(), ...onBoth('sds_pool_up', POOL_ID, 1)],
    expected: { 'sds-exporter / Pool poll ok': [[[{ ...POOL_ID, pool: 'new' }, 1]]] },
  },
  {
    what: 'a node that does not serve its allocated space leaves the ratio of the others alone',
    world: [
      ...onBoth('sds_node_disk_space_total_bytes', NODE, 100),
      ...onBoth('sds_node_disk_space_allocated_bytes', NODE, 95),
      ...onBoth('sds_node_disk_space_total_bytes', { ...POOL, node: 'n2' }, 100),
    ],
    expected: {
      'sds-fleet / Fleet space used': [0.95],
      'sds-pool / Space used': [0.95],
      'sds-pool / Space used by node': [[[NODE, 0.95]]],
      'sds-capacity / Space used': [0.95],
      'sds-capacity / Space used by pool': [[[POOL, 0.95]]],
    },
  },
]

test.each(ODDITIES)('$what', async ({ what, world, expected }) => {
  const { code, stdout, stderr } = await run([unitTest(what, world, {}, expected)])
  expect(`${stdout}${stderr}`).toContain('SUCCESS')
  expect(code).toBe(0)
})
