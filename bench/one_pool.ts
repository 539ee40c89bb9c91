import { createEmulator, type Emulator } from '../src/emulator/emulator.ts'

/** Starts an emulated storage system of one pool, with everything in its nodes feed. */
export async function startOnePool(nodes: number): Promise<Emulator> {
  const emulator = createEmulator({ pools: 1, nodes, profile: 'classic', listenAddress: '127.0.0.1:0' })
  await emulator.start()
  return emulator
}
