import type { FeedReading } from './feed.ts'

/** The name that the nodes give their pool: one that lists of pools may not have, or not yet. */
export function poolNameIn({ nodes }: FeedReading): string | undefined {
  return nodes.find(({ poolName }) => poolName !== undefined)?.poolName
}
