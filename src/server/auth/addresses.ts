import type { Socket } from 'node:net'

/** Removes the prefix of IPv4-mapped addresses: a dual-stack socket reports `::ffff:192.0.2.7`. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}

/** The client address for logs and limits; empty once the connection is closed. */
export function clientAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return plainAddress(remoteAddress)
}
