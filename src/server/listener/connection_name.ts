import type { Socket } from 'node:net'

/** A TLS socket does not expose its underlying socket, but both have the same unique pair of addresses. */
export function connectionName({ localAddress, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`
}
