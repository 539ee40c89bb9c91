import { createEmulator, type Emulator } from '../../emulator/emulator.ts'
import type { EmulatorOptions } from '../../emulator/options.ts'
import { explainListenError } from '../../values/listen_address.ts'
import { CommandError, EXIT } from './exit.ts'

/** Creates an emulator without starting it. @throws {CommandError} usage error, for invalid options */
export function createEmulatedSystem(options: EmulatorOptions): Emulator {
  try {
    return createEmulator(options)
  } catch (failure) {
    throw failure instanceof RangeError ? new CommandError(failure.message, EXIT.usage) : failure
  }
}

/** @param flag sets the address @throws {ListenError} when the address cannot be bound */
export async function startEmulatedSystem(
  emulator: Pick<Emulator, 'start'>,
  listenAddress: string,
  flag: string,
): Promise<void> {
  try {
    await emulator.start()
  } catch (failure) {
    const isSocketError = failure instanceof Error && 'syscall' in failure
    throw isSocketError ? explainListenError(listenAddress, failure, flag) : failure
  }
}
