import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Load, Served } from './emulator_process.ts'

/** An emulated storage system in a process of its own. */
export interface Emulated extends Served, Disposable {
  load(): Promise<Load>
}

export async function startEmulated(
  nodes: number,
  profile: 'classic' | 'modern',
  namespaces?: number,
): Promise<Emulated> {
  const options = [String(nodes), profile, ...(namespaces === undefined ? [] : [String(namespaces)])]
  const child = fork(new URL('./emulator_process.ts', import.meta.url), options)
  const [served] = (await once(child, 'message')) as [Served]
  return {
    ...served,
    async load() {
      const answer = once(child, 'message')
      child.send('load')
      const [load] = (await answer) as [Load]
      return load
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
