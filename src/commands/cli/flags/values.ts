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
export const parseCount = (text: string): number => parseWhole(text, 1)

/** Parses a whole number of at least 0. @throws {InvalidArgumentError} */
export const parseCountOrNone = (text: string): number => parseWhole(text, 0)

function parseWhole(text: string, least: number): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < least)
    throw new InvalidArgumentError(`Expected a whole number of at least ${least}.`)
  return count
}
