import type { Socket } from 'node:net'

/** An IP address in its shortest form: a socket that serves IPv6 and IPv4 gives IPv4 as `::ffff:192.0.2.7`. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}

/** The address of the other side, as logs and limits name it; empty once the connection is gone. */
export function clientAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return plainAddress(remoteAddress)
}
