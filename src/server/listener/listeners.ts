import { ListenError, type ListenSocket } from '../../values/listen_address.ts'
import { createListener, type Listener, type ListenerOptions } from './listener.ts'

export type Listeners = ReturnType<typeof createListeners>

/** @throws {ListenError} when an address is invalid, or there is none */
export function createListeners(sockets: readonly ListenSocket[], options: Omit<ListenerOptions, 'address'>) {
  if (sockets.length === 0) throw new ListenError('there is no address to listen on')
  const listeners: readonly Listener[] = sockets.map((address) => createListener({ ...options, address }))
  const stop = async () => {
    await Promise.all(listeners.map((listener) => listener.stop()))
  }
  return {
    /** In the order of the addresses, once started. */
    get urls(): readonly string[] {
      return listeners.map(({ url }) => url)
    },
    /** @throws as {@link Listener.start}; then none of them listens */
    async start(): Promise<void> {
      try {
        for (const listener of listeners) await listener.start()
      } catch (failure) {
        // An open listener would keep the process running after the failed start.
        await stop()
        throw failure
      }
    },
    stop,
  }
}
