import { expect, test } from 'vitest'
import { decodeObject } from '../../src/api/resources/objects.ts'
import { createReadingBuilder } from '../../src/api/resources/reading.ts'
import { hardwareFinder } from '../../src/state/resources.ts'
import { OBJECT_KINDS } from '../../src/system_catalogue.ts'

const { rejected } = createReadingBuilder(OBJECT_KINDS.node)
const nodes = [
  { nodename: 'n1', nodeid: 'i1', version: '4.0', ip: '10.0.0.1' },
  { nodename: 'n2', nodeid: 'i2', version: '4.0', ip: '10.0.0.2' },
  { nodename: 'n2', nodeid: 'i3', version: '4.1', ip: '10.0.0.3' },
  { nodename: 'n2', nodeid: 'i4', version: '4.2', ip: '10.0.0.4' },
].flatMap((entry) => decodeObject(entry, OBJECT_KINDS.node, { now: 0, rejected }) ?? [])

test.each([
  ['i2', 'n2', '4.0'],
  ['i3', 'n2', '4.1'],
  ['10.0.0.1', 'n1', '4.0'],
  // Any of three nodes.
  ['10.0.0.2', 'n2', undefined],
  ['10.0.0.9', 'n9', undefined],
  ['10.0.0.9', undefined, undefined],
])('the node with id %s and name %s has version %s', (id, name, version) => {
  expect(hardwareFinder(nodes)({ id, name })?.version).toBe(version)
})
