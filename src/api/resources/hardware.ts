import { counted, namesText } from '../../text.ts'
import { memoizeWeak } from '../../values/memo.ts'
import type { ResourceObject } from './objects.ts'

/** Where a node is, and what runs on it. */
export interface NodeHardware {
  readonly rack: string | undefined
  readonly address: string | undefined
  readonly version: string | undefined
}

/** Finds the hardware of a node of the feed. */
export type FindHardware = (node: {
  readonly id: string
  readonly name: string | undefined
}) => NodeHardware | undefined

/** From the nodes of the inventory. Every poll of a pool needs it, and a reading has the nodes of all pools. */
export const hardwareFinder = memoizeWeak((objects: readonly ResourceObject[]): FindHardware => {
  const byId = new Map<string | undefined, NodeHardware>()
  const byName = new Map<string | undefined, NodeHardware | undefined>()
  for (const { id, labels, details } of objects) {
    const hardware = { rack: details['rack'], address: details['address'], version: details['version'] }
    byId.set(id, hardware)
    // A name that several nodes have tells nothing.
    byName.set(labels[0], byName.has(labels[0]) ? undefined : hardware)
  }
  // Old releases use the address as the id of the feed, but not here.
  return ({ id, name }) => byId.get(id) ?? (name === undefined ? undefined : byName.get(name))
})

/** The versions with their number of nodes, the most frequent first. */
export function softwareVersions(objects: readonly ResourceObject[]): [version: string, nodes: number][] {
  const counts = new Map<string, number>()
  for (const { details } of objects) {
    const version = details['version']
    if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1)
  }
  return [...counts].sort(([a, ofA], [b, ofB]) => ofB - ofA || a.localeCompare(b))
}

/** `3.8.1.4 (4 nodes), 3.8.1.5 (1 node)`, or the only version; at most five, because a system may have any number. */
export function softwareText(versions: readonly (readonly [version: string, nodes: number])[]): string {
  const [only, second] = versions
  if (only !== undefined && second === undefined) return only[0]
  return namesText(versions, ([version, nodes]) => `${version} (${counted(nodes, 'node')})`)
}
