import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { errorText } from '../../src/values/errors.ts'
import { type Child, startProcess } from '../../test/support/processes.ts'

const ROOT = '/sys/fs/cgroup'
const BYTES_PER_MIB = 1024 ** 2

/** A control group with a limit of memory, as systemd and container engines make it. */
export interface MemoryGroup {
  /** Starts a program in the group, in which its own processes are, too. */
  start(command: string, args: readonly string[], options?: GroupOptions): Promise<Child>
  /** Removes the group, after its processes have ended. */
  remove(): void
}

interface GroupOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly maxOpenFiles?: number
}

/**
 * Makes a control group, of version 2 where the system has it, else of version 1. Without one, Node.js does not know the
 * limit and collects garbage later.
 * @throws {Error} if this is not allowed, with the remedy
 */
export function createMemoryGroup(limitMib: number): MemoryGroup {
  const isVersion2 = existsSync(`${ROOT}/cgroup.controllers`)
  const folder = `${ROOT}${isVersion2 ? '' : '/memory'}/sds-exporter-${process.pid}`
  try {
    mkdirSync(folder, { recursive: true })
    const file = isVersion2 ? 'memory.max' : 'memory.limit_in_bytes'
    writeFileSync(`${folder}/${file}`, String(limitMib * BYTES_PER_MIB))
  } catch (failure) {
    throw new Error(
      `no control group with a limit of memory (${errorText(failure)}): run as root, where ${ROOT} is writable`,
    )
  }
  return {
    start(command, args, { env = {}, maxOpenFiles = 1024 } = {}) {
      // `exec` keeps the process id.
      const script = `echo $$ > ${folder}/cgroup.procs && ulimit -n ${maxOpenFiles} && exec "$0" "$@"`
      return startProcess('/bin/sh', ['-c', script, command, ...args], { env })
    },
    remove: () => rmdirSync(folder),
  }
}
