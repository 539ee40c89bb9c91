import type { Status, SystemStatus } from '../../status/model.ts'
import { type History, POOL_COLUMNS, type Recent, SLOT_SECONDS, SYSTEM_COLUMNS } from '../../status/recent.ts'

/** The status with the values of the charts, which are read when they are written: all together are large. */
export function withHistory(status: Status, recent: Recent) {
  return { ...status, systems: status.systems.map((system) => systemWithHistory(system, recent)) }
}

function systemWithHistory(system: SystemStatus, recent: Recent) {
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

/** One value for each slot, of which the last is the current one. Null: no value. */
function historyStatus<Column extends string>(history: History<Column>, columns: readonly Column[]) {
  const values = columns.map((column) => [column, history(column).map((value) => value ?? null)])
  return { slot_seconds: SLOT_SECONDS, values: Object.fromEntries(values) }
}
