import type { Profile } from '../../../src/emulator/protocol/profiles.ts'
import { startOnePool } from './one_pool.ts'

/** An emulated storage system in a process of its own: sends where it is, and its load after each message. */
export interface Served {
  readonly url: string
  /** The id of its pool. */
  readonly pool: string
}

export interface Load {
  readonly cpuSeconds: number
  readonly queries: number
  /** Maximum number of concurrent requests. */
  readonly mostAtOnce: number
}

const MICROSECONDS = 1e6
const [nodes = '8', profile = 'classic', namespaces] = process.argv.slice(2)
const options = namespaces === undefined ? {} : { namespaces: Number(namespaces) }
const { url, pools, log } = await startOnePool(Number(nodes), profile as Profile, options)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const cpuSeconds = (user + system) / MICROSECONDS
  process.send?.({ cpuSeconds, queries: log.count('query'), mostAtOnce: log.mostAtOnce() } satisfies Load)
})
process.send?.({ url, pool: pools[0]?.id ?? '' } satisfies Served)
