import { startOnePool } from './one_pool.ts'

/** An emulated storage system in a process of its own, which sends its URL and the id of its pool. */
const [nodes = '8'] = process.argv.slice(2)
const { url, pools } = await startOnePool(Number(nodes))
process.send?.({ url, pool: pools[0]?.id })
