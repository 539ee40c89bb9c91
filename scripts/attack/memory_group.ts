import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { errorText } from '../../src/values/errors.ts'

const ROOT = '/sys/fs/cgroup'
const BYTES_PER_MIB = 1024 ** 2

/** A control group with a limit of memory, as systemd and container engines make it. */
export interface MemoryGroup {
  /** A process that writes its id to this file is in the group, with those that it starts. */
  readonly processes: string
  /** Removes the group, after its processes have ended. */
  remove(): void
}

/**
 * Makes a control group, of version 2 where the system has it, else of version 1. Without one, Node.js does not know the
 * limit and collects garbage later.
 * @throws {Error} if this is not allowed, with the remedy
 */
export function createMemoryGroup(limitMib: number): MemoryGroup {
  const isVersion2 = existsSync(`${ROOT}/cgroup.controllers`)
  const folder = `${ROOT}${isVersion2 ? '' : '/memory'}/sds-exporter-attack-${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    const file = isVersion2 ? 'memory.max' : 'memory.limit_in_bytes'
    writeFileSync(`${folder}/${file}`, String(limitMib * BYTES_PER_MIB))
  } catch (failure) {
    throw new Error(
      `no control group with a limit of memory (${errorText(failure)}): run as root, where ${ROOT} is writable`,
    )
  }
  return { processes: `${folder}/cgroup.procs`, remove: () => rmdirSync(folder) }
}
