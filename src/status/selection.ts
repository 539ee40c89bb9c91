import type { PoolStatus } from './pool_status.ts'
import type { Problem } from './states.ts'
import type { Status } from './status.ts'
import type { SystemStatus } from './system_status.ts'

/** What of the status is requested. Empty text: everything. */
export type Selection = Exclude<ReturnType<typeof readSelection>, string>

const PARAMETERS = ['system', 'pool', 'q'] as const

/** Reads the query of a request. A problem of it is returned as text. */
export function readSelection(query: URLSearchParams) {
  const known = PARAMETERS.filter((name) => query.has(name))
  if (query.size > known.length) return `The parameters are ${PARAMETERS.join(', ')}, each at most once.`
  const text = (name: (typeof PARAMETERS)[number]) => query.get(name) ?? ''
  if (text('pool') !== '' && text('system') === '') return 'The parameter pool needs the parameter system.'
  return {
    system: text('system'),
    /** Id or name of a pool; only with a system. */
    pool: text('pool'),
    /** Text in the names and ids of systems, pools and nodes, in any case. */
    search: text('q').trim(),
  }
}

/** The query of a selection, with a leading question mark; empty for everything. */
export function queryOf(selection: Partial<Selection>): string {
  const { system = '', pool = '', search = '' } = selection
  const query = new URLSearchParams({
    ...(system !== '' && { system }),
    ...(pool !== '' && { pool }),
    ...(search !== '' && { q: search }),
  }).toString()
  return query === '' ? '' : `?${query}`
}

/** The selected part of the status; undefined if there is no such system or pool. A search may find nothing. */
export function selectStatus(status: Status, selection: Selection): Status | undefined {
  const systems = status.systems.filter(({ name }) => ['', name].includes(selection.system))
  if (systems.length === 0 && selection.system !== '') return undefined
  const withPools = systems.map((system) => onlyPool(system, selection.pool))
  if (selection.pool !== '' && withPools.every(({ pools }) => pools.length === 0)) return undefined
  const found: SystemStatus[] = []
  for (const system of withPools) {
    const match = searchSystem(system, selection.search)
    if (match !== undefined) found.push(match)
  }
  return { ...status, systems: found, problems: problemsOf(status.problems, found) }
}

function onlyPool(system: SystemStatus, pool: string): SystemStatus {
  if (pool === '') return system
  const byId = system.pools.filter(({ id }) => id === pool)
  return { ...system, pools: byId.length > 0 ? byId : system.pools.filter(({ name }) => name === pool) }
}

/** A system or pool that matches is found with all that it has; otherwise with its pools or nodes that match. */
function searchSystem(system: SystemStatus, text: string): SystemStatus | undefined {
  if (text === '' || isNamed(system, text)) return system
  const pools: PoolStatus[] = []
  for (const pool of system.pools) {
    if (isNamed(pool, text)) pools.push(pool)
    else {
      const nodes = pool.nodes.filter((node) => isNamed(node, text))
      if (nodes.length > 0) pools.push({ ...pool, nodes })
    }
  }
  return pools.length === 0 ? undefined : { ...system, pools }
}

/** Whether the name or the id contains the text, in any case. */
export function isNamed(
  { name, id = '' }: { readonly name: string; readonly id?: string },
  text: string,
): boolean {
  const wanted = text.toLowerCase()
  return name.toLowerCase().includes(wanted) || id.toLowerCase().includes(wanted)
}

function problemsOf(problems: readonly Problem[], systems: readonly SystemStatus[]): Problem[] {
  const pools = new Map(systems.map(({ name, pools }) => [name, new Set(pools.map(({ id }) => id))]))
  return problems.filter(({ system, pool_id }) => {
    const selected = pools.get(system)
    return selected !== undefined && (pool_id === null || selected.has(pool_id))
  })
}
