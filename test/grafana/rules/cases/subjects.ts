/** Labels of the subjects of the cases; the defaults of series (case.ts) are the same. */
export const SYSTEM = { system: 'frankfurt' } as const
export const POOL = { ...SYSTEM, pool: 'pool 1' } as const
export const POLLED_POOL = { ...POOL, pool_id: 'p1' } as const
export const NODE = { ...POOL, node: 'n1' } as const
export const REPLICATION_GROUP = { ...SYSTEM, replication_group: 'rg 1' } as const
export const NAMESPACE = { ...SYSTEM, namespace: 'ns 1' } as const
