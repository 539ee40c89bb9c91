import { labelText, type Part, renderPart, type Sample } from '../metrics/exposition.ts'
import { type Family, STATE } from '../metrics/families.ts'
import type { PoolState, SystemState } from './state.ts'

/** The gauges about a system and its pools: a few lines, rendered whenever something changed. */
export function statePart(system: SystemState): Part {
  const samples = new Map<string, Sample[]>()
  const add = ({ name }: Family, labels: string, value: number | undefined) => {
    if (value === undefined) return
    const list = samples.get(name)
    if (list === undefined) samples.set(name, [{ labels, value }])
    else list.push({ labels, value })
  }
  const base = labelText({ system: system.name })
  add(STATE.systemUp, base, system.up === undefined ? undefined : Number(system.up))
  add(STATE.clockSkew, base, system.clockSkewSeconds)
  add(STATE.tlsNotAfter, base, system.tlsNotAfterSeconds)
  for (const pool of system.pools.values())
    addPool(add, `${base},${labelText({ pool_id: pool.ref.id })}`, pool)
  return renderPart(samples)
}

type Add = (family: Family, labels: string, value: number | undefined) => void

function addPool(add: Add, base: string, { label, lastAttempt, lastSuccess, reading }: PoolState): void {
  add(STATE.poolInfo, `${base},${labelText({ pool: label })}`, 1)
  add(STATE.poolNodes, base, reading?.nodes.length)
  add(STATE.poolLastSuccess, base, lastSuccess)
  if (lastAttempt === undefined) return
  add(STATE.poolUp, base, lastAttempt.failure === undefined ? 1 : 0)
  add(STATE.poolPollDuration, base, lastAttempt.seconds)
}
