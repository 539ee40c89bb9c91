import { createEmulator, type Emulator } from '../../emulator/emulator.ts'
import type { EmulatorOptions } from '../../emulator/options.ts'
import { explainListenError } from '../../server/listener/listen_address.ts'
import { EXIT, Failed } from './exit.ts'

/** An emulator that is not started yet. @throws {Failed} wrong usage, for options that make no system */
export function createEmulatedSystem(options: EmulatorOptions): Emulator {
  try {
    return createEmulator(options)
  } catch (failure) {
    throw failure instanceof RangeError ? new Failed(failure.message, EXIT.usage) : failure
  }
}

/** @throws {ListenError} naming the address and the remedy */
export async function startEmulatedSystem(emulator: Emulator, listenAddress: string): Promise<void> {
  try {
    await emulator.start()
  } catch (failure) {
    const isOfSocket = failure instanceof Error && 'syscall' in failure
    throw isOfSocket ? explainListenError(listenAddress, failure) : failure
  }
}
