import { isIPv6, type Socket } from 'node:net'

/** Removes the prefix of IPv4-mapped addresses: a dual-stack socket reports `::ffff:192.0.2.7`. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}

/** An IPv6 address in its shortest form, as the URL class writes it; any other text unchanged. */
export function shortestAddress(text: string): string {
  return isIPv6(text) && !text.includes('%') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text
}

/** The client address for logs and limits; empty once the connection is closed. */
export function clientAddress({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>): string {
  return plainAddress(remoteAddress)
}
