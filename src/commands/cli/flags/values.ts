import { InvalidArgumentError } from 'commander'
import { parseListenAddress } from '../../../server/listener/listen_address.ts'

/** Checks a listen address. @throws {InvalidArgumentError} */
export function parseAddress(text: string): string {
  try {
    parseListenAddress(text)
    return text
  } catch (failure) {
    throw new InvalidArgumentError(failure instanceof Error ? failure.message : '')
  }
}

/** Parses a whole number of at least 1. @throws {InvalidArgumentError} */
export function parseCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1)
    throw new InvalidArgumentError('Expected a whole number of at least 1.')
  return count
}
