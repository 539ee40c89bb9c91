import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GoModule } from './go_programs.ts'

/** Receivers of remote write with tenants. Tags of the module of Mimir begin with v2, which its path does not allow. */
export const CLUSTERS = [
  {
    path: 'github.com/thanos-io/thanos',
    module: 'v0.42.4',
    version: '0.42.4',
    names: ['thanos'],
    // Its code assumes labels as slices: without the tag it crashes.
    tags: ['netgo', 'slicelabels'],
  },
  {
    path: 'github.com/grafana/mimir',
    module: 'v1.3.1-0.20260423142704-aced80d74930',
    version: '2026-04-23',
    names: ['mimir'],
  },
] as const satisfies readonly GoModule[]

type Program = (typeof CLUSTERS)[number]['names'][number]

const FOLDER = fileURLToPath(new URL('../../.cache/clusters/', import.meta.url))

export function clusterFolder({ version, names: [name] }: (typeof CLUSTERS)[number]): string {
  return join(FOLDER, `${name}-${version}`)
}

/** The path of a program that `scripts/built_tests.ts` builds. */
export function programPath(program: Program): string {
  const found = CLUSTERS.find(({ names: [name] }) => name === program) ?? CLUSTERS[0]
  return join(clusterFolder(found), program)
}
