import type { EmulatorOptions } from '../../../src/emulator/options.ts'
import type { Profile } from '../../../src/emulator/protocol/profiles.ts'
import { createEmulator, type Emulator } from '../../../test/support/programs/emulator.ts'

/** Starts an emulated storage system of one pool; by default with everything in its nodes feed. */
export async function startOnePool(
  nodes: number,
  profile: Profile = 'classic',
  options: EmulatorOptions = {},
): Promise<Emulator> {
  const emulator = createEmulator({ ...options, pools: 1, nodes, profile, listenAddress: '127.0.0.1:0' })
  await emulator.start()
  return emulator
}
