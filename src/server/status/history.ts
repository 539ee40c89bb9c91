import type { PoolStatus, Status, SystemStatus } from '../../status/model.ts'
import { type History, POOL_COLUMNS, type Recent, SYSTEM_COLUMNS } from '../../status/recent/recent.ts'
import { SLOT_SECONDS } from '../../status/recent/slots.ts'

/** Values of the last hour. Null: no value in the slot. */
export interface HistoryStatus {
  /** Length of a slot. The last slot is the current one. */
  readonly slot_seconds: number
  readonly values: Readonly<Record<string, readonly (number | null)[]>>
}

export interface StatusWithHistory extends Omit<Status, 'systems'> {
  readonly systems: readonly (Omit<SystemStatus, 'pools'> & {
    readonly history: HistoryStatus
    readonly pools: readonly (PoolStatus & { readonly history: HistoryStatus | null })[]
  })[]
}

/** The status with the values of the charts, which are read when they are written: all together are large. */
export function withHistory(status: Status, recent: Recent): StatusWithHistory {
  return { ...status, systems: status.systems.map((system) => systemWithHistory(system, recent)) }
}

function systemWithHistory(system: SystemStatus, recent: Recent): StatusWithHistory['systems'][number] {
  return {
    ...system,
    get history() {
      return historyStatus(recent.system(system.name), SYSTEM_COLUMNS)
    },
    pools: system.pools.map((pool) => ({
      ...pool,
      get history() {
        const history = recent.pool(system.name, pool.id)
        return history === undefined ? null : historyStatus(history, POOL_COLUMNS)
      },
    })),
  }
}

function historyStatus<Column extends string>(
  history: History<Column>,
  columns: readonly Column[],
): HistoryStatus {
  const values = columns.map((column) => [column, history(column).map((value) => value ?? null)])
  return { slot_seconds: SLOT_SECONDS, values: Object.fromEntries(values) }
}
